" Files on the disk while reviews are open and after them: agents write what was accepted, and Vim is to take it over without a
" prompt (which would hold up every agent) and without losing what was never saved.

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
    execute 'autocmd FileChangedShellPost <buffer=' . number . '> call s:FileReloaded(' . number . ')'
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
    call patchbay#tell('unsaved', fnamemodify(bufname(a:number), ':p'))
    return
  endif
  let s:undoreload = &undoreload
  set undoreload=-1
  " Agents write UTF-8, and some with other line ends than there were: what is in the file now counts.
  let v:fcs_choice = has('patch-8.2.4343') || has('nvim-0.10') ? 'edit' : 'reload'
endfunction

function! s:FileReloaded(number) abort
  call s:RestoreUndo()
  call patchbay#review#saved(a:number)
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
  if getcmdwintype() !=# '' || mode() =~# '^[cr!]'
    return 0
  endif
  call patchbay#disk#guard(a:path)
  execute 'silent! checktime' number
  call s:RestoreUndo()
  if empty(filter(patchbay#review#open_ids(), {_, id -> patchbay#review#find(id).path ==# a:path}))
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
