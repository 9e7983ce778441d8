" The page of all that waits for the user, by agent and session; lib/ says what stands in it.

let s:keys = {'<CR>': 'open', 'o': 'open', 'a': 'accept', 'r': 'reject', 'h': 'hold', 's': 'save', 'y': 'yank', 'd': 'discard'}

" Shows it, and goes there. Each row has its text and the ids of the proposals that a key in it is about.
function! patchbay#inbox#show(rows) abort
  call patchbay#page(s:Name(), map(copy(a:rows), 'v:val.text'))
  setlocal nowrap cursorline
  let b:patchbay_rows = a:rows
  syntax match Title /^\S.*/
  syntax match Title /^ *\S\+\/$/
  for row in filter(copy(a:rows), {_, row -> empty(row.ids) && row.text !=# ''})
    execute 'syntax match Comment /^\V' . escape(row.text, '/\') . '\$/'
  endfor
  for [group, word] in [['ErrorMsg', patchbay#text('conflict')], ['WarningMsg', patchbay#text('waiting')]]
    execute 'syntax match' group '/^\s\+\V' . escape(word, '/\') . '\ze\s/'
  endfor
  for [key, action] in items(s:keys)
    execute 'nnoremap <buffer> <silent> <nowait>' key '<Cmd>call patchbay#inbox#act(' . string(action) . ')<CR>'
  endfor
  nnoremap <buffer> <silent> <nowait> f <Cmd>call patchbay#command#coc('reviews', ['group'])<CR>
  call s:First()
endfunction

function! s:Name() abort
  return patchbay#text('Patchbay: reviews')
endfunction

" To the first proposal.
function! s:First() abort
  call cursor(s:Find(b:patchbay_rows, {row -> len(row.ids) == 1 && row.text[0] ==# ' '}), 3)
endfunction

" The number of the first line that is meant; 0 where none is.
function! s:Find(rows, Is) abort
  let at = 0
  for row in a:rows
    let at += 1
    if a:Is(row)
      return at
    endif
  endfor
  return 0
endfunction

" What waits has changed. 0 where the page is not shown.
function! patchbay#inbox#update(rows) abort
  let shown = filter(getwininfo(), {_, info -> bufname(info.bufnr) ==# '[' . s:Name() . ']'})
  if empty(shown)
    return 0
  endif
  let [number, window] = [shown[0].bufnr, shown[0].winid]
  let was = getbufvar(number, 'patchbay_rows', [])
  let line = line('.', window)
  let ids = get(get(was, line - 1, {}), 'ids', [])
  call setbufvar(number, '&modifiable', 1)
  call setbufline(number, 1, map(copy(a:rows), 'v:val.text'))
  silent! call deletebufline(number, len(a:rows) + 1, '$')
  call setbufvar(number, '&modifiable', 0)
  call setbufvar(number, '&modified', 0)
  call setbufvar(number, 'patchbay_rows', a:rows)
  " The cursor stays on its proposal.
  let at = ids ==# [] ? 0 : s:Find(a:rows, {row -> row.ids ==# ids})
  call win_execute(window, 'call cursor(' . (at == 0 ? min([line, len(a:rows)]) : at) . ', 3)')
  if !has('nvim')
    redraw
  endif
  return 1
endfunction

function! patchbay#inbox#act(action) abort
  let ids = get(get(b:patchbay_rows, line('.') - 1, {}), 'ids', [])
  if empty(ids)
    call patchbay#say(patchbay#text('This line is about no proposal.'), 'WarningMsg')
  else
    call patchbay#command#coc('reviews', [a:action] + ids)
  endif
endfunction
