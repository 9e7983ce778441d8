" Files on the disk while reviews are open and after them: agents write what was accepted, and Vim is to take it over without a
" prompt (which would hold up every agent) and without losing what was never saved.

" Buffers whose unsaved text is part of what an agent is about to write.
let s:expected = {}

" The buffer that takes over the file although it has unsaved text: the file has that, too.
let s:taken = 0

" How long an agent may take to write, ms.
let s:patience = 40000

" From the opening of a review until its file has been written, changes of that file on the disk never bring up Vim's prompt: an
" unmodified buffer takes them over, and undo brings the old text back; a modified one is left alone.
function! patchbay#disk#guard(path) abort
  let number = patchbay#track#number(a:path)
  if number <= 0 || !bufloaded(number) || getbufvar(number, '&buftype') !=# ''
    return
  endif
  augroup patchbay_guard
    execute 'autocmd! * <buffer=' . number . '>'
    execute 'autocmd FileChangedShell <buffer=' . number . '> call s:FileChanged(' . number . ')'
    execute 'autocmd FileChangedShellPost <buffer=' . number . '> call s:RestoreUndo()'
  augroup END
  " With 'autoread' Vim would not ask us, and reload without undo where the file is long.
  call setbufvar(number, '&autoread', 0)
endfunction

function! s:FileChanged(number) abort
  let v:fcs_choice = ''
  if v:fcs_reason ==# 'deleted'
    return
  endif
  if getbufvar(a:number, '&modified')
    if s:taken != a:number
      " What was accepted for it together with its unsaved text is taken over when it is complete.
      if !has_key(s:expected, a:number)
        call patchbay#tell('unsaved', fnamemodify(bufname(a:number), ':p'))
      endif
      return
    endif
  endif
  let s:undoreload = &undoreload
  set undoreload=-1
  " Agents write UTF-8, and some with other line ends than there were: what is in the file now counts.
  let v:fcs_choice = has('patch-8.2.4343') || has('nvim-0.10') ? 'edit' : 'reload'
endfunction

function! s:RestoreUndo() abort
  if exists('s:undoreload')
    let &undoreload = s:undoreload
    unlet s:undoreload
  endif
endfunction

" Takes over what an agent wrote; called when the file on the disk has changed after a review. 0: not now, try again.
function! patchbay#disk#reload(path) abort
  let number = patchbay#track#number(a:path)
  if number <= 0 || !bufloaded(number)
    return 1
  endif
  if patchbay#busy()
    return 0
  endif
  call patchbay#disk#guard(a:path)
  execute 'silent! checktime' number
  call s:RestoreUndo()
  if !has_key(s:expected, number) && empty(filter(patchbay#review#open_ids(), {_, id -> patchbay#review#find(id).path ==# a:path}))
    augroup patchbay_guard
      execute 'autocmd! * <buffer=' . number . '>'
    augroup END
    call setbufvar(number, '&autoread', &g:autoread)
  endif
  if !has('nvim')
    redraw
  endif
  return 1
endfunction

" What a buffer would write now.
function! patchbay#disk#held(number) abort
  if !bufloaded(a:number)
    return {}
  endif
  return {
        \ 'lines': getbufline(a:number, 1, '$'),
        \ 'format': getbufvar(a:number, '&fileformat'),
        \ 'newline': getbufvar(a:number, '&endofline') || (getbufvar(a:number, '&fixendofline') && !getbufvar(a:number, '&binary')) ? 1 : 0,
        \ 'modified': getbufvar(a:number, '&modified') ? 1 : 0,
        \ 'tick': getbufvar(a:number, 'changedtick'),
        \ }
endfunction

" An agent is about to write a file together with the unsaved text of its buffer.
function! patchbay#disk#expect(path) abort
  let number = patchbay#track#number(a:path)
  if number > 0
    call patchbay#disk#guard(a:path)
    let s:expected[number] = get(s:expected, number, 0) + 1
    call timer_start(s:patience, {-> s:Expected(number)})
  endif
endfunction

function! s:Expected(number) abort
  if get(s:expected, a:number, 0) > 1
    let s:expected[a:number] -= 1
  elseif has_key(s:expected, a:number)
    call remove(s:expected, a:number)
  endif
endfunction

" It has: the buffer, if it is as it was at `tick`, takes the file and is saved then. Undo brings the old text back. 0: not now, try
" again; 1: done; 2: it has other text by now, which stays; 3: it could not be read.
function! patchbay#disk#take(number, tick) abort
  if patchbay#busy()
    return 0
  endif
  if !bufloaded(a:number) || getbufvar(a:number, 'changedtick') != a:tick
    return 2
  endif
  let path = getbufinfo(a:number)[0].name
  call patchbay#disk#guard(path)
  let s:taken = a:number
  execute 'silent! checktime' a:number
  let s:taken = 0
  call s:RestoreUndo()
  let windows = win_findbuf(a:number)
  if getbufvar(a:number, '&modified') && !empty(windows)
    " Vim had noticed the change before, and notices each one only once.
    let [undoreload, &undoreload] = [&undoreload, -1]
    call win_execute(windows[0], 'silent! edit!')
    let &undoreload = undoreload
  endif
  call s:Expected(a:number)
  call patchbay#disk#reload(path)
  return getbufvar(a:number, '&modified') ? 3 : 1
endfunction

" Puts a text of the user's into the buffer of its file, as one step, and saves it unless it had unsaved text before. 0: it has
" other text by now; 1: done; 2: it could not be saved.
function! patchbay#disk#put(number, tick, change) abort
  if !bufloaded(a:number) || getbufvar(a:number, 'changedtick') != a:tick
    return 0
  endif
  let modified = getbufvar(a:number, '&modified')
  call patchbay#window#edit(a:number, a:change)
  call patchbay#parts#clear('put')
  if !has('nvim')
    redraw
  endif
  return modified || patchbay#save(a:number) ? 1 : 2
endfunction

" Encodings, as Vim names them, that a file may be in which is not UTF-8.
function! patchbay#disk#encodings(path) abort
  let number = patchbay#track#number(a:path)
  let own = number > 0 && bufloaded(number) ? [getbufvar(number, '&fileencoding')] : []
  return filter(own + split(&fileencodings, ','), 'v:val !=# "" && v:val !~# "^utf-\\?8$\\|^default$"')
endfunction
