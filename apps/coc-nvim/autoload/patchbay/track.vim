" Where the user is. These run inside autocommands, so they only collect; lib/ computes.

" coc hears of every cursor move, and lib/ listens to it there. What coc does not know is what is selected: so in Visual and Select
" mode, on entering and on leaving them, lib/ is told more, and at all other moves nothing.
function! patchbay#track#listen() abort
  augroup patchbay_track
    autocmd!
    autocmd CursorMoved * if s:Selects(mode()) | call s:Tell() | endif
    autocmd CmdlineLeave : call s:Ranged(getcmdline())
    autocmd ModeChanged * if s:Selects(v:event.old_mode) || s:Selects(v:event.new_mode) | call s:Tell() | endif
  augroup END
endfunction

" The lines before a :CocCommand for which coc has no use: [first, last], [] where there were none.
let s:range = []
" What a range is made of; nothing that could be a command.
let s:address = '\%([%.$,;+*0-9 -]\|''[a-zA-Z<>[\]]\|/[^/|]*/\|?[^?|]*?\|\\[/?&]\)\+'

function! s:Ranged(line) abort
  let range = matchstr(a:line, '^[: \t]*\zs' . s:address . '\ze\s*CocCommand\s\+patchbay\.mention\s*$')
  if a:line =~# 'patchbay\.mention'
    let s:range = []
  endif
  if range !=# '' && !get(v:event, 'abort', 0)
    let view = winsaveview()
    execute 'silent! keepjumps keeppatterns' range . 'call s:Note()'
    call winrestview(view)
  endif
endfunction

function! s:Note() range abort
  let s:range = [a:firstline, a:lastline]
endfunction

" Asked once for each such command.
function! patchbay#track#range() abort
  let [range, s:range] = [s:range, []]
  return range
endfunction

function! s:Selects(mode) abort
  return a:mode =~# "^[vVsS\<C-v>\<C-s>]"
endfunction

function! s:Tell() abort
  if exists('#User#PatchbayCursor')
    doautocmd <nomodeline> User PatchbayCursor
  endif
endfunction

" [buffer, mode, line, byte column, wanted column, line and byte column of the other end, exclusive, tabstop, modified]
function! patchbay#track#cursor() abort
  let cursor = getcurpos()
  let other = getpos('v')
  return [bufnr('%'), mode(), cursor[1], cursor[2], cursor[4], other[1], other[2],
        \ &selection ==# 'exclusive' ? 1 : 0, &tabstop, &modified ? 1 : 0]
endfunction

" A buffer that shows a file, or {} for all others (help, quickfix, terminals, our own).
function! patchbay#track#buffer(number) abort
  if a:number <= 0 || !bufloaded(a:number) || getbufvar(a:number, '&buftype') !=# '' || bufname(a:number) ==# ''
    return {}
  endif
  let path = fnamemodify(bufname(a:number), ':p')
  " Plugins show things under URLs: those are not files.
  if path =~# '^\a\+://' || isdirectory(path)
    return {}
  endif
  return {
        \ 'number': a:number,
        \ 'path': path,
        \ 'exists': filereadable(path) ? 1 : 0,
        \ 'modified': getbufvar(a:number, '&modified') ? 1 : 0,
        \ 'type': getbufvar(a:number, '&filetype'),
        \ 'used': get(getbufinfo(a:number)[0], 'lastused', 0),
        \ }
endfunction

" All of them.
function! patchbay#track#buffers() abort
  let found = []
  for info in getbufinfo({'bufloaded': 1})
    let buffer = patchbay#track#buffer(info.bufnr)
    if !empty(buffer)
      call add(found, buffer)
    endif
  endfor
  return found
endfunction

" Lines of a buffer that coc does not hold itself (large files), at most about `limit` bytes and at least one line.
function! patchbay#track#lines(number, first, last, limit) abort
  let lines = []
  let size = 0
  let at = a:first
  while at <= a:last && size <= a:limit
    let more = getbufline(a:number, at, min([at + 99, a:last]))
    if empty(more)
      break
    endif
    for line in more
      " A single line may be a whole minified file.
      call add(lines, strpart(line, 0, a:limit + 4096))
      let size += len(line) + 1
      if size > a:limit
        break
      endif
    endfor
    let at += 100
  endwhile
  return lines
endfunction

" The number of the buffer that holds a file; -1 where none does. Not bufnr({name}): that takes a pattern, and file names may
" hold any character of one. Names of buffers have links of folders resolved, as the paths that agents give.
function! patchbay#track#number(path) abort
  for info in getbufinfo()
    if info.name ==# a:path
      return info.bufnr
    endif
  endfor
  return -1
endfunction
