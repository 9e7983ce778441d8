" Both sides of a review, as lib/ reads and changes them.

" The file under review has changed: both sides follow. 'stale': the right side has changed since it was read, try again.
function! patchbay#sides#update(id, change) abort
  let review = patchbay#review#find(a:id)
  if empty(review) || index(['open', 'accepted'], review.state) < 0
    return 'gone'
  endif
  if !bufexists(review.right)
    " Where the user has only gone elsewhere in its window it is about to open again.
    return review.state ==# 'open' ? 'stale' : 'gone'
  endif
  if getbufvar(review.right, 'changedtick') != a:change.tick
    return 'stale'
  endif
  for side in ['left', 'right']
    call patchbay#window#edit(review[side], a:change[side])
    call patchbay#parts#clear(a:id . ' ' . side)
  endfor
  let a:change.proposal.lines = patchbay#parts#lines(a:change.proposal)
  call patchbay#parts#clear(a:id . ' proposal')
  let review.proposal = a:change.proposal
  let [review.unsaved, review.standing, review.state] = [a:change.unsaved, a:change.standing, 'open']
  call setbufvar(review.right, '&modified', a:change.edited)
  call setbufvar(review.right, 'patchbay_pretended', 0)
  let [review.tick, review.told] = [getbufvar(review.right, 'changedtick'), 0]
  redrawstatus!
  if !has('nvim')
    redraw
  endif
  return 'applied'
endfunction

" The proposal as it stands.
function! patchbay#sides#text(id) abort
  let review = patchbay#review#find(a:id)
  if empty(review)
    return v:null
  endif
  if !bufexists(review.right)
    return empty(review.text) ? v:null : review.text
  endif
  return extend(s:Form(review), {'lines': getbufline(review.right, 1, '$')})
endfunction

" The same for lib/, which may know the answer with the number `known` (see changes.vim); the next change is told again.
function! patchbay#sides#changes(id, known) abort
  let review = patchbay#review#find(a:id)
  if empty(review) || !bufexists(review.right)
    return patchbay#sides#text(a:id)
  endif
  let review.told = 0
  return extend(patchbay#changes#since(review.right, a:known), s:Form(review))
endfunction

function! s:Form(review) abort
  return {
        \ 'format': getbufvar(a:review.right, '&fileformat'),
        \ 'newline': getbufvar(a:review.right, '&endofline') ? 1 : 0,
        \ 'tick': getbufvar(a:review.right, 'changedtick'),
        \ }
endfunction
