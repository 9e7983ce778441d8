" A review in one window: the proposal, with the lines that it removes shown above those that take their place. These are no text of
" the buffer: verdicts, editing and undo are as side by side. lib/ knows where the hunks are.

let s:group = 'patchbay_unified'
let s:timers = {}

" More removed lines of a hunk are counted.
let s:most = 200

" From two windows to one. The left side stays as a hidden buffer.
function! patchbay#unified#on(review) abort
  let a:review.unified = 1
  call setbufvar(a:review.left, '&bufhidden', 'hide')
  for window in win_findbuf(a:review.right)
    noautocmd call win_execute(window, 'diffoff | setlocal signcolumn=yes')
  endfor
  for window in win_findbuf(a:review.left)
    noautocmd call win_execute(window, 'diffoff | close')
  endfor
  call patchbay#unified#soon(a:review.id)
endfunction

" And back.
function! s:Off(review) abort
  let a:review.unified = 0
  call s:Clear(a:review.right)
  setlocal signcolumn<
  execute 'noautocmd keepalt' (a:review.layout ==# 'horizontal' ? 'leftabove split' : 'leftabove vsplit')
  if exists('&winfixbuf')
    setlocal nowinfixbuf
  endif
  execute 'noautocmd keepalt buffer' a:review.left
  if exists('&winfixbuf')
    setlocal winfixbuf
  endif
  setlocal bufhidden=wipe
  call patchbay#window#label(a:review, 0)
  diffthis
  execute 'noautocmd' bufwinnr(a:review.right) . 'wincmd w'
  diffthis
  diffupdate
endfunction

" `:Patchbay layout`: one window or two for this review.
function! patchbay#unified#toggle() abort
  let review = patchbay#review#find(get(b:, 'patchbay_review', ''))
  if empty(review) || !bufexists(review.left) || !bufexists(review.right)
    call patchbay#say(patchbay#text('Go to a proposal first.'), 'WarningMsg')
    return 0
  endif
  if bufnr('%') == review.left && bufwinid(review.right) > 0
    call win_gotoid(bufwinid(review.right))
  endif
  if get(review, 'unified', 0)
    call s:Off(review)
  else
    call patchbay#unified#on(review)
  endif
  return 1
endfunction

" One of the sides has changed.
function! patchbay#unified#soon(id) abort
  call timer_stop(get(s:timers, a:id, -1))
  let s:timers[a:id] = timer_start(30, {-> s:Ask(a:id)})
endfunction

function! s:Ask(id) abort
  call remove(s:timers, a:id)
  if get(patchbay#review#find(a:id), 'unified', 0)
    call patchbay#tell('unified', a:id)
  endif
endfunction

" The hunks as [first line, line after the last one] on the left and on the right, from 0; `tick` is the text that they are of.
function! patchbay#unified#draw(id, tick, hunks) abort
  let review = patchbay#review#find(a:id)
  if empty(review) || !get(review, 'unified', 0) || !bufexists(review.right) || getbufvar(review.right, 'changedtick') != a:tick
    return
  endif
  call s:Clear(review.right)
  call s:Define()
  let height = getbufinfo(review.right)[0].linecount
  let [signs, review.spots, above] = [[], [], 0]
  for [left, left_end, right, right_end] in a:hunks
    call add(review.spots, min([right + 1, height]))
    let signs += s:Added(review.right, right + 1, right_end, left_end > left)
    if left_end > left
      let lines = getbufline(review.left, left + 1, min([left_end, left + s:most]))
      if left_end - left > s:most
        call add(lines, '… ' . patchbay#text('{0} more lines', left_end - left - s:most))
      endif
      let tab = getbufvar(review.right, '&tabstop')
      call s:Show(review.right, right, height, map(lines, {_, line -> s:Plain(line, tab)}))
      let above += right == 0 ? len(lines) : 0
    endif
  endfor
  call sign_placelist(signs)
  if above > 0 && has('nvim')
    " Lines above the first one are not seen before the window is scrolled to them.
    for window in win_findbuf(review.right)
      if getwininfo(window)[0].topline == 1
        call win_execute(window, 'call winrestview({"topline": 1, "topfill": ' . above . '})')
      endif
    endfor
  endif
  if !has('nvim')
    redraw
  endif
endfunction

" To the next hunk, as ]c; side by side it is that.
function! patchbay#unified#go(forward) abort
  let review = patchbay#review#find(get(b:, 'patchbay_review', ''))
  if !get(review, 'unified', 0)
    execute 'silent! normal!' v:count1 . (a:forward ? ']c' : '[c')
    return
  endif
  for _ in range(v:count1)
    let spots = filter(copy(get(review, 'spots', [])), {_, spot -> a:forward ? spot > line('.') : spot < line('.')})
    if empty(spots)
      return
    endif
    call cursor(a:forward ? spots[0] : spots[-1], 1)
  endfor
endfunction

function! s:Define() abort
  if empty(sign_getdefined('PatchbayProposed'))
    call sign_define('PatchbayProposed', has('nvim') ? {'text': '+', 'texthl': 'DiffAdd', 'linehl': 'DiffAdd'} : {'text': '+', 'texthl': 'DiffAdd'})
  endif
  if !has('nvim') && empty(prop_type_get('patchbay_removed'))
    call prop_type_add('patchbay_removed', {'highlight': 'DiffDelete'})
    call prop_type_add('patchbay_added', {'highlight': 'DiffAdd'})
  endif
endfunction

" As it would be seen in the buffer.
function! s:Plain(line, tabstop) abort
  let text = join(map(split(a:line, '\t', 1), 'strtrans(v:val)'), "\t")
  while stridx(text, "\t") >= 0
    let at = stridx(text, "\t")
    let head = strpart(text, 0, at)
    let text = head . repeat(' ', a:tabstop - strdisplaywidth(head) % a:tabstop) . strpart(text, at + 1)
  endwhile
  return text ==# '' ? ' ' : text
endfunction

function! s:Sign(number, line) abort
  return {'buffer': a:number, 'group': s:group, 'lnum': a:line, 'name': 'PatchbayProposed', 'priority': 5}
endfunction

" Marks lines of the proposal that are new; gives the signs for them.
if has('nvim')
  function! s:Added(number, first, last, below) abort
    return map(range(a:first, a:last), {_, line -> s:Sign(a:number, line)})
  endfunction

  function! s:Show(number, line, height, lines) abort
    let isBelow = a:line >= a:height
    call nvim_buf_set_extmark(a:number, nvim_create_namespace(s:group), isBelow ? a:height - 1 : a:line, 0, {
          \ 'virt_lines': map(copy(a:lines), {_, text -> [[text, 'DiffDelete']]}), 'virt_lines_above': isBelow ? v:false : v:true})
  endfunction

  function! s:Clear(number) abort
    call sign_unplace(s:group, {'buffer': a:number})
    call nvim_buf_clear_namespace(a:number, nvim_create_namespace(s:group), 0, -1)
  endfunction
  finish
endif

" Vim puts the sign, and the colour of one, beside removed lines above, which they are not about.
function! s:Added(number, first, last, below) abort
  for line in range(a:first, a:last)
    call prop_add(line, 1, {'type': 'patchbay_added', 'bufnr': a:number, 'length': strlen(getbufline(a:number, line)[0])})
  endfor
  return a:first > a:last ? [] : map(range(a:first + a:below, a:last), {_, line -> s:Sign(a:number, line)})
endfunction

function! s:Show(number, line, height, lines) abort
  let isBelow = a:line >= a:height
  for text in a:lines
    call prop_add(isBelow ? a:height : a:line + 1, 0, {'type': 'patchbay_removed', 'bufnr': a:number, 'text': text,
          \ 'text_align': isBelow ? 'below' : 'above'})
  endfor
endfunction

function! s:Clear(number) abort
  call sign_unplace(s:group, {'buffer': a:number})
  if !empty(prop_type_get('patchbay_removed'))
    for type in ['patchbay_removed', 'patchbay_added']
      call prop_remove({'type': type, 'bufnr': a:number, 'all': 1})
    endfor
  endif
endfunction
