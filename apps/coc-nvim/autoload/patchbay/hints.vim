" What a review says of itself, and the keys in it.

" Keys exist in the two buffers of a review and nowhere else. They are made when the user first enters them: mapping needs the
" buffer to be the current one. So does what the user has for this 'filetype'; the colours stay those of the file.
function! patchbay#hints#map(review) abort
  if get(b:, 'patchbay_mapped', 0)
    return
  endif
  let b:patchbay_mapped = 1
  let syntax = &syntax
  setlocal filetype=patchbay
  if &syntax !=# syntax
    let &l:syntax = syntax
  endif
  if bufnr('%') == a:review.right
    " It writes only what was changed, so an untouched proposal would be rejected.
    nnoremap <buffer> <silent> ZZ <Cmd>call patchbay#go#accept()<CR>
  endif
  for [action, key] in items(a:review.keys)
    if key !=# ''
      execute 'nnoremap <buffer> <silent> <nowait>' key '<Cmd>call patchbay#go#' . action . '()<CR>'
    endif
  endfor
endfunction

" Which keys decide, for the message on entering.
function! patchbay#hints#text(review) abort
  if !a:review.present
    return a:review.agent . ' is not connected: :w keeps your text in :CocList patchbay, :q! closes it'
  endif
  if a:review.terminal
    return 'Answer in ' . a:review.agent . '''s terminal, then apply your edits'
  endif
  if a:review.standing ==# 'conflict'
    return 'The file has changed in the same lines: keep what is right between <<<<<<< and >>>>>>>, then :w accepts'
  endif
  let leader = get(g:, 'mapleader', '\')
  let keys = map(copy(a:review.keys), {_, key -> substitute(key, '\c<leader>', escape(leader ==# ' ' ? '<Space>' : leader, '\&~'), '')})
  return ':w' . (get(keys, 'accept', '') ==# '' ? '' : ' or ' . keys.accept) . ' accepts, :q'
        \ . (get(keys, 'reject', '') ==# '' ? '' : ' or ' . keys.reject) . ' rejects, '
        \ . (get(a:review, 'locked', 0) ? a:review.agent . ' does not take an edited text' : 'do drops a hunk')
endfunction

" The same for Neovim's window bars, where it stays. On the left, whose bar is there so that lines stand beside lines, it says what
" the status line would, where there is one for all windows only.
function! patchbay#hints#bar(id, proposal) abort
  let review = patchbay#review#find(a:id)
  if empty(review) || !a:proposal
    return &laststatus == 3 ? patchbay#hints#line(a:id, 0) : ' '
  endif
  return ' ' . s:Escape(patchbay#hints#text(review)) . '%<'
endfunction

" The status line of a review's windows.
function! patchbay#hints#line(id, proposal) abort
  let review = patchbay#review#find(a:id)
  if empty(review)
    return ''
  endif
  if !a:proposal
    return ' %<' . s:Escape(review.title) . ' now' . (review.unsaved ? ' [with your unsaved text]' : '')
  endif
  let who = review.agent . (review.kind ==# 'delete' ? ' empties ' : review.kind ==# 'create' ? ' creates ' : ' proposes ')
  let about = patchbay#write#is_edited(review) ? '  [edited]' : ''
  if review.standing !=# 'unchanged'
    let about .= review.standing ==# 'conflict' ? '  [conflict]' : '  [merged with changes to the file]'
  endif
  if get(review, 'locked', 0)
    let about .= '  [read-only]'
  endif
  " What :w does not do any more is said in every window, however narrow.
  if !review.present
    let about .= '  [not connected: :w keeps your text]'
  elseif review.terminal
    let about .= '  [answer in the agent''s terminal]'
  endif
  let open = patchbay#review#open_ids()
  if len(open) > 1
    let about .= '  ' . (index(open, a:id) + 1) . '/' . len(open)
  endif
  let how = !review.present || review.terminal ? ':q! closes '
        \ : review.standing ==# 'conflict' ? 'resolve it, then :w  :q rejects ' : ':w accepts  :q rejects '
  let width = &laststatus == 3 ? &columns : winwidth(get(g:, 'statusline_winid', 0))
  let room = width - strdisplaywidth(who . review.title . about . how) - 3
  " Where there is little room the file's name counts more than what the message on entering has said.
  return ' ' . s:Escape(who) . '%<' . s:Escape(review.title . about) . (room < 0 ? '' : '%=' . how)
endfunction

function! s:Escape(text) abort
  return substitute(a:text, '%', '%%', 'g')
endfunction
