" What agents changed without being asked about it: signs beside the lines, moves between them, and the file as it was beside the
" file as it is. lib/ knows what was changed and what is still to be reviewed.

let s:group = 'patchbay'
" Below those of plugins for git, which have 6 (gitsigns) or 10 (gitgutter).
let s:priority = 5

function! s:Define() abort
  if exists('s:defined')
    return
  endif
  let s:defined = 1
  let bar = &encoding ==# 'utf-8' ? '▎' : '|'
  for [kind, text, group, plain] in [['Add', bar, 'Added', 'DiffAdd'], ['Change', bar, 'Changed', 'DiffChange'],
        \ ['Delete', '_', 'Removed', 'DiffDelete'], ['Topdelete', &encoding ==# 'utf-8' ? '‾' : '-', 'Removed', 'DiffDelete']]
    execute 'highlight default link PatchbayTurn' . kind hlexists(group) ? group : plain
    " What the user has defined stays.
    if empty(sign_getdefined('PatchbayTurn' . kind))
      call sign_define('PatchbayTurn' . kind, {'text': text, 'texthl': 'PatchbayTurn' . kind})
    endif
  endfor
endfunction

" The changes in a buffer, as [first line, last line, kind], in any order.
function! patchbay#turns#mark(number, marks, shown) abort
  if !bufloaded(a:number)
    return
  endif
  let marks = sort(copy(a:marks), {one, other -> one[0] - other[0]})
  call setbufvar(a:number, 'patchbay_marks', marks)
  let sums = {'add': 0, 'change': 0, 'delete': 0, 'topdelete': 0}
  for [first, last, kind] in marks
    let sums[kind] += last - first + 1
  endfor
  call setbufvar(a:number, 'patchbay_changes', {'added': sums.add, 'changed': sums.change, 'removed': sums.delete + sums.topdelete})
  call sign_unplace(s:group, {'buffer': a:number})
  if a:shown
    call s:Define()
    let signs = []
    for [first, last, kind] in marks
      for line in range(first, min([last, first + 2000]))
        call add(signs, {'buffer': a:number, 'group': s:group, 'lnum': line, 'priority': s:priority,
              \ 'name': 'PatchbayTurn' . toupper(kind[0]) . kind[1:]})
      endfor
    endfor
    call sign_placelist(signs[:4999])
  endif
  call patchbay#announce("PatchbayChanges", {'buffer': a:number})
  if !has('nvim')
    redraw
  endif
endfunction

" The list of turns.
function! patchbay#turns#list() abort
  CocList --normal patchbayTurns
endfunction

" `:Patchbay change next`: to the next change in this buffer. 'wrapscan' counts, as for other searches.
function! patchbay#turns#go(what) abort
  if index(['next', 'previous'], a:what) < 0
    call patchbay#say(patchbay#text('Say where to go: :Patchbay change next, or :Patchbay change previous.'), 'WarningMsg')
    return 0
  endif
  if &diff
    execute 'silent! normal!' v:count1 . (a:what ==# 'next' ? ']c' : '[c')
    return 1
  endif
  for step in range(v:count1)
    let line = s:From(get(b:, 'patchbay_marks', []), line('.'), a:what ==# 'next')
    if line == 0
      call patchbay#say(s:NoChange(a:what), 'WarningMsg')
      return 0
    endif
    if step == 0
      normal! m'
    endif
    call cursor(min([line, line('$')]), 1)
    normal! ^zv
  endfor
  return 1
endfunction

function! s:NoChange(what) abort
  if empty(get(b:, 'patchbay_marks', []))
    return patchbay#text('No change by an agent in this buffer.')
  endif
  return a:what ==# 'next' ? patchbay#text('No next change by an agent in this buffer.') : patchbay#text('No previous change by an agent in this buffer.')
endfunction

" Marks that follow each other directly are one place.
function! s:From(marks, line, forward) abort
  let places = []
  for [first, last, kind] in a:marks
    if !empty(places) && first <= places[-1][1] + 1
      let places[-1][1] = max([last, places[-1][1]])
    else
      call add(places, [first, last])
    endif
  endfor
  let found = filter(copy(places), {_, place -> a:forward ? place[0] > a:line : place[1] < a:line || place[0] < a:line})
  if empty(found) && &wrapscan
    let found = filter(places, {_, place -> place[0] != a:line})
  endif
  return empty(found) ? 0 : found[a:forward ? 0 : -1][0]
endfunction

" The file under the cursor and the line, for a command without either.
function! patchbay#turns#place() abort
  return [expand('%:p'), line('.'), line('.')]
endfunction

function! patchbay#turns#keep(range) abort
  return s:Decide('keep', a:range, [])
endfunction

" `:Patchbay undo [now] [why]`; the agent is told why.
function! patchbay#turns#undo(words, range) abort
  let now = a:words =~# '^now\%(\s\|$\)'
  return s:Decide('undo', a:range, [now ? substitute(a:words, '^now\s*', '', '') : a:words, now ? 1 : 0])
endfunction

" `:Patchbay peek`
function! patchbay#turns#show(range) abort
  return s:Decide('show', a:range, [])
endfunction

" Lines of a change at the cursor, until it moves. They come from files, so nothing in them is carried out.
function! patchbay#turns#peek(lines) abort
  call s:Close()
  let widths = map(copy(a:lines), {_, line -> strdisplaywidth(line)})
  let [width, height] = [max([20, min([max(widths), &columns - 6])]), max([1, min([len(a:lines), &lines / 2])])]
  if has('nvim')
    let number = nvim_create_buf(v:false, v:true)
    call nvim_buf_set_lines(number, 0, -1, v:false, a:lines)
    call nvim_buf_set_option(number, 'bufhidden', 'wipe')
    let s:peek = nvim_open_win(number, v:false, {'relative': 'cursor', 'row': 1, 'col': 0, 'width': width, 'height': height,
          \ 'style': 'minimal', 'border': 'single', 'focusable': v:false})
  else
    let s:peek = popup_create(a:lines, {'line': 'cursor+1', 'col': 'cursor', 'border': [], 'padding': [0, 1, 0, 1],
          \ 'maxwidth': width, 'maxheight': height, 'mapping': 0})
  endif
  call win_execute(s:peek, 'setlocal syntax=diff nowrap')
  let s:peeked = [win_getid(), line('.'), col('.')]
  augroup patchbay_peek
    autocmd!
    autocmd CursorMoved,CursorMovedI * call s:Moved()
    autocmd InsertEnter,BufLeave * call s:Close()
  augroup END
  redraw
endfunction

" Vim tells of a move before the first one, too, where nobody listened before.
function! s:Moved() abort
  if s:peeked != [win_getid(), line('.'), col('.')]
    call s:Close()
  endif
endfunction

function! s:Close() abort
  augroup patchbay_peek
    autocmd!
  augroup END
  let shown = get(s:, 'peek', 0)
  let s:peek = 0
  if shown == 0
    return
  elseif !has('nvim')
    call popup_close(shown)
  elseif nvim_win_is_valid(shown)
    call nvim_win_close(shown, v:true)
  endif
endfunction

function! s:Decide(verdict, range, rest) abort
  if &buftype !=# '' || expand('%') ==# ''
    call patchbay#say(patchbay#text('This window does not show a file. :Patchbay turns lists what agents changed.'), 'WarningMsg')
    return 0
  endif
  let [first, last] = empty(a:range) ? [line('.'), line('.')] : a:range
  return patchbay#command#coc(a:verdict . 'Change', [expand('%:p'), first, last] + a:rest)
endfunction

" The file as it was before a turn, and the file as it is, side by side in a tab page: what is written on the right is the file.
function! patchbay#turns#open(request) abort
  let shown = bufnr('^' . escape(a:request.name, '*?[{\,') . '$')
  if a:request.hasBefore && shown > 0 && !empty(win_findbuf(shown))
    call win_gotoid(win_findbuf(shown)[0])
    return
  endif
  if a:request.isGone
    tabnew
  else
    execute 'tabedit' fnameescape(a:request.path)
    if !a:request.hasBefore
      call patchbay#parts#clear('turn')
      return
    endif
    let [syntax, format] = [&syntax, &fileformat]
    diffthis
    keepalt leftabove vnew
  endif
  let b:coc_enabled = 0
  setlocal buftype=nofile bufhidden=wipe noswapfile nobuflisted
  execute 'silent keepalt file' fnameescape(a:request.name)
  silent call setline(1, patchbay#parts#lines(a:request))
  call patchbay#parts#clear('turn')
  noautocmd setlocal filetype=patchbay
  setlocal nomodifiable nomodified readonly
  if !a:request.isGone
    let &l:syntax = syntax
    diffthis
    wincmd p
    call cursor(1, 1)
    if diff_hlID(1, 1) == 0 && diff_filler(1) == 0
      silent! normal! ]c
    endif
  endif
  redraw
endfunction
