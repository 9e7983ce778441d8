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
  call patchbay#hunk#map(a:review)
  for [action, key] in items(a:review.keys)
    if key !=# ''
      execute 'nnoremap <buffer> <silent> <nowait>' key '<Cmd>call patchbay#go#' . action . '()<CR>'
    endif
  endfor
endfunction

" Which keys decide, for the message on entering.
function! patchbay#hints#text(review) abort
  if !a:review.present
    return patchbay#text('{0} is not connected: :w keeps your text in :CocList patchbay, :q! closes it', a:review.agent)
  endif
  if a:review.terminal
    return patchbay#text('Answer in {0}''s terminal, then apply your edits', a:review.agent)
  endif
  if a:review.standing ==# 'conflict'
    return patchbay#text('The file has changed in the same lines: keep what is right between <<<<<<< and >>>>>>>, then :w accepts')
  endif
  let leader = get(g:, 'mapleader', '\')
  let keys = map(copy(a:review.keys), {_, key -> substitute(key, '\c<leader>', escape(leader ==# ' ' ? '<Space>' : leader, '\&~'), '')})
  return patchbay#text('{0} accepts, {1} rejects', s:Either(':w', get(keys, 'accept', '')), s:Either(':q', get(keys, 'reject', ''))) . ', '
        \ . (get(a:review, 'locked', 0) ? patchbay#text('{0} does not take an edited text', a:review.agent) : patchbay#text('dp/do for a hunk'))
endfunction

function! s:Either(command, key) abort
  return a:key ==# '' ? a:command : patchbay#text('{0} or {1}', a:command, a:key)
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
    let about = review.unsaved ? s:Mark(patchbay#text('with your unsaved text')) : ''
    let about .= get(review, 'accepted', 0) > 0 ? s:Mark(patchbay#text('with accepted hunks')) : ''
    return ' %<' . s:Escape(patchbay#text('{0} now', review.title) . about)
  endif
  let what = review.kind ==# 'delete' ? patchbay#text('{0} empties {1}', review.agent, "\n")
        \ : review.kind ==# 'create' ? patchbay#text('{0} creates {1}', review.agent, "\n") : patchbay#text('{0} proposes {1}', review.agent, "\n")
  " The file's name stands where the language puts it.
  let [who; rest] = split(what, "\n", 1)
  let rest = join(rest, "")
  let about = patchbay#write#is_edited(review) ? ' ' . s:Mark(patchbay#text('edited')) : ''
  if review.standing !=# 'unchanged'
    let about .= ' ' . s:Mark(review.standing ==# 'conflict' ? patchbay#text('conflict') : patchbay#text('merged with changes to the file'))
  endif
  if get(review, 'accepted', 0) + get(review, 'rejected', 0) > 0
    let about .= ' ' . s:Mark(patchbay#text('hunks: {0} accepted, {1} rejected', review.accepted, review.rejected))
  endif
  if get(review, 'locked', 0) && get(review, 'patch', 0) > 0
    let about .= ' ' . s:Mark(patchbay#text('read-only, patch of {0} files', review.patch))
  elseif get(review, 'locked', 0)
    let about .= ' ' . s:Mark(patchbay#text('read-only'))
  endif
  " What :w does not do any more is said in every window, however narrow.
  if !review.present
    let about .= ' ' . s:Mark(patchbay#text('not connected: :w keeps your text'))
  elseif review.terminal
    let about .= ' ' . s:Mark(patchbay#text('answer in the agent''s terminal'))
  endif
  let open = patchbay#review#open_ids()
  if len(open) > 1
    let about .= '  ' . (index(open, a:id) + 1) . '/' . len(open)
  endif
  let how = !review.present || review.terminal ? patchbay#text(':q! closes') . ' '
        \ : (review.standing ==# 'conflict' ? patchbay#text('resolve it, then :w') : patchbay#text(':w accepts')) . '  ' . patchbay#text(':q rejects') . ' '
  let width = &laststatus == 3 ? &columns : winwidth(get(g:, 'statusline_winid', 0))
  let room = width - strdisplaywidth(who . review.title . rest . about . how) - 3
  " Where there is little room the file's name counts more than what the message on entering has said.
  return ' ' . s:Escape(who) . '%<' . s:Escape(review.title . rest . about) . (room < 0 ? '' : '%=' . how)
endfunction

function! s:Mark(text) abort
  return ' [' . a:text . ']'
endfunction

function! s:Escape(text) abort
  return substitute(a:text, '%', '%%', 'g')
endfunction
