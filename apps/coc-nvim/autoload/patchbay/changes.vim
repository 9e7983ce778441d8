" What has changed in a buffer since lib/ last heard of it, so that a key in a text of megabytes costs a line and not all of it.
" Each answer has a number, which lib/ gives back with the next question; where that is not the one it got last, it gets the whole
" text. Long answers come in parts, with the user's keys between them.

let s:answers = 0

" About how much goes into one answer.
let [s:most_lines, s:most_bytes] = [4000, 200000]

" `from` is the number that the answer builds upon, 0 for none; `gone` lines from `first` on are replaced by `lines`; where `more`
" is 1 there is more to ask for.
function! patchbay#changes#since(number, known) abort
  if !has('nvim')
    call listener_flush(a:number)
  endif
  let height = getbufinfo(a:number)[0].linecount
  let state = s:State(a:number)
  let from = get(state, 'answer', -1) == a:known && s:Agrees(state, height) ? a:known : 0
  if from == 0
    let state = {'answer': 0, 'first': 1, 'last': height + 1, 'grown': height, 'count': height}
    call s:Follow(a:number)
  endif
  let gone = state.last - state.first - state.grown
  let answer = {'from': from, 'first': max([state.first, 1]), 'gone': gone, 'lines': s:Lines(a:number, state.first, state.last), 'more': 0}
  let come = len(answer.lines)
  if come < state.last - state.first
    let [answer.gone, answer.more] = [min([gone, come]), 1]
    let state.first += come
    let state.grown -= come - answer.gone
  else
    let [state.first, state.last, state.grown] = [0, 0, 0]
  endif
  let s:answers += 1
  let state.answer = s:answers
  call s:Note(a:number, state)
  return extend(answer, {'answer': s:answers})
endfunction

" Whether what was followed can be so. In a text of one line nothing is built upon: an emptied buffer still has a line, which Vim
" and Neovim count in one change and leave out in the next (undo, :diffget), so that two wrongs may even add up to the right height.
function! s:Agrees(state, height) abort
  return a:state.count == a:height && a:height > 1 && a:state.last <= a:height + 1
        \ && a:state.last - a:state.first >= max([a:state.grown, 0])
endfunction

" For a buffer that was filled anew: of that Vim tells no listener.
function! patchbay#changes#forget(number) abort
  call s:Note(a:number, {})
endfunction

function! s:Lines(number, first, last) abort
  let lines = a:first > 0 ? getbufline(a:number, a:first, min([a:last, a:first + s:most_lines]) - 1) : []
  while len(lines) > 1 && strlen(join(lines)) > s:most_bytes
    let lines = lines[: len(lines) / 2 - 1]
  endwhile
  return lines
endfunction

" What is known of a buffer: the number of the last answer, how many lines lib/ will have when it has heard of all, and what it has
" not heard of: the first such line (0 for none), the line after the last one, how many lines more there are.
if has('nvim')
lua << EOF
local states, attached = {}, {}

local function forget(_, number)
  states[number] = nil
end

patchbay_changes = {
  state = function(number) return states[number] or vim.empty_dict() end,
  note = function(number, state) states[number] = next(state) and state or nil end,
  follow = function(number)
    if attached[number] then return end
    attached[number] = vim.api.nvim_buf_attach(number, false, {
      on_lines = function(_, _, tick, first, last, now)
        local state = states[number]
        -- What a command line only shows while it is typed is taken back without a word.
        if tick == nil or state == nil then return forget(nil, number) end
        local added = now - last
        if math.min(state.count, state.count + added) <= 1 then return forget(nil, number) end
        local isFirst = state.first == 0
        state.last = (isFirst and last + 1 or math.max(state.last, last + 1)) + added
        state.first = isFirst and first + 1 or math.min(state.first, first + 1)
        state.grown = state.grown + added
        state.count = state.count + added
      end,
      on_reload = forget,
      on_detach = function()
        states[number], attached[number] = nil, nil
      end,
    })
  end,
}
EOF
  function! s:State(number) abort
    return luaeval('patchbay_changes.state(_A)', a:number)
  endfunction

  function! s:Note(number, state) abort
    call luaeval('patchbay_changes.note(_A[1], _A[2])', [a:number, a:state])
  endfunction

  function! s:Follow(number) abort
    call luaeval('patchbay_changes.follow(_A)', a:number)
  endfunction
  finish
endif

let s:states = {}
let s:listeners = {}

" Entries beyond which it takes less time to tell the whole text than to follow them.
let s:most_changes = 1000

function! s:State(number) abort
  return get(s:states, a:number, {})
endfunction

function! s:Note(number, state) abort
  let s:states[a:number] = a:state
endfunction

function! s:Follow(number) abort
  if has_key(s:listeners, a:number)
    return
  endif
  call filter(s:listeners, 'bufexists(str2nr(v:key))')
  call filter(s:states, 'has_key(s:listeners, v:key)')
  let s:listeners[a:number] = listener_add(function('s:Changed'), a:number)
endfunction

function! s:Changed(number, start, end, added, changes) abort
  let state = s:State(a:number)
  if empty(state)
    return
  elseif len(a:changes) > s:most_changes
    call remove(s:states, a:number)
    return
  endif
  for change in a:changes
    if min([state.count, state.count + change.added]) <= 1
      call remove(s:states, a:number)
      return
    endif
    let state.last = (state.first == 0 ? change.end : max([state.last, change.end])) + change.added
    let state.first = state.first == 0 ? change.lnum : min([state.first, change.lnum])
    let state.grown += change.added
    let state.count += change.added
  endfor
endfunction
