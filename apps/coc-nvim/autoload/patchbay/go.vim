" What the user does with reviews by a key or a command: going from one to the next, and deciding.

" Goes to a review; the user asked for it.
function! patchbay#go#to(id) abort
  let review = patchbay#review#find(a:id)
  let windows = empty(review) ? [] : win_findbuf(review.right)
  if empty(windows)
    return 0
  endif
  if get(b:, 'patchbay_review', '') ==# ''
    let [review.back, review.mode] = [win_getid(), mode()]
  endif
  let gone = win_gotoid(windows[0])
  call patchbay#write#asked(review)
  return gone
endfunction

function! patchbay#go#next() abort
  return s:Go(1)
endfunction

function! patchbay#go#previous() abort
  return s:Go(-1)
endfunction

function! s:Go(step) abort
  let open = patchbay#review#open_ids()
  if empty(open)
    call patchbay#say(patchbay#text('No proposals are open. :Patchbay shows what waits.'), 'WarningMsg')
    return 0
  endif
  let at = index(open, get(b:, 'patchbay_review', ''))
  let target = at < 0 ? (a:step > 0 ? 0 : -1) : (at + a:step) % len(open)
  return patchbay#go#to(open[target])
endfunction

function! patchbay#go#accept() abort
  return s:Decide('accept')
endfunction

function! patchbay#go#reject() abort
  return s:Decide('reject')
endfunction

" `:PatchbayReject why`: rejects and tells the agent why, where it can be told; without a text it only rejects.
function! patchbay#go#because(reason) abort
  if a:reason =~# '^\s*$'
    call patchbay#go#reject()
  elseif coc#rpc#ready() && get(g:, 'coc_service_initialized', 0)
    call CocActionAsync('runCommand', 'patchbay.reject', a:reason)
  else
    call patchbay#say(patchbay#text('Not rejected: coc is not running, so nobody could be told why.'), 'WarningMsg')
  endif
endfunction

" Keeps a text of the user's that nobody takes, to be put somewhere with p.
function! patchbay#go#keep(text) abort
  call setreg(v:register, a:text)
endfunction

function! s:Decide(verdict) abort
  let here = patchbay#go#here(a:verdict)
  if here ==# ''
    return 0
  endif
  call call('patchbay#review#' . a:verdict, [here])
  return 1
endfunction

" Sets the review aside without a verdict.
function! patchbay#go#hold() abort
  let here = patchbay#go#current()
  return here ==# '' ? 0 : patchbay#command#coc('hold', [here])
endfunction

function! patchbay#go#undoHunk() abort
  return patchbay#hunk#undo()
endfunction

" The review the cursor is in, else the only one; empty, and that is said, where there is none.
function! patchbay#go#current() abort
  let open = patchbay#review#open_ids()
  let here = get(b:, 'patchbay_review', '')
  if index(open, here) < 0
    let here = len(open) == 1 ? open[0] : ''
  endif
  if here ==# ''
    call patchbay#say(empty(open) ? patchbay#text('No proposals are open.')
          \ : patchbay#text('Several proposals are open: go to one first (:CocList patchbay).'), 'WarningMsg')
  endif
  return here
endfunction

" The same for a verdict; empty, and that is said, where one does not count now.
function! patchbay#go#here(verdict) abort
  let here = patchbay#go#current()
  if here ==# ''
    return ''
  endif
  call patchbay#write#pressed(here)
  let review = patchbay#review#find(here)
  if !patchbay#write#counts(review, a:verdict) || (a:verdict ==# 'accept' && patchbay#write#is_blocked(review))
    return ''
  endif
  return here
endfunction
