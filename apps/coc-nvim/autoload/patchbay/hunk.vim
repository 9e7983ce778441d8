" Verdicts on single hunks of a review: an accepted one moves to the left side, a rejected one goes from the right side. lib/ knows
" which hunk is at a line; the keys are those that copy a hunk in every diff: dp and do.

" Makes the keys in one side of a review.
function! patchbay#hunk#map(review) abort
  let isRight = bufnr('%') == a:review.right
  execute 'nnoremap <buffer> <silent> dp <Cmd>call patchbay#hunk#copy("dp", "' . (isRight ? 'accept' : 'reject') . '")<CR>'
  if isRight
    nnoremap <buffer> <silent> ]c <Cmd>call patchbay#unified#go(1)<CR>
    nnoremap <buffer> <silent> [c <Cmd>call patchbay#unified#go(0)<CR>
  endif
  execute 'nnoremap <buffer> <silent> do <Cmd>call patchbay#hunk#copy("do", "' . (isRight ? 'reject' : 'accept') . '")<CR>'
endfunction

" What the key does in every diff, where that is no verdict: with a count, or where nobody waits for one.
function! patchbay#hunk#copy(key, verdict) abort
  let review = patchbay#review#find(get(b:, 'patchbay_review', ''))
  let takes = !empty(review) && review.state ==# 'open' && review.present && !review.terminal && !get(review, 'locked', 0)
  if v:count > 0 || !takes || review.standing ==# 'conflict' || !coc#rpc#ready()
    try
      execute 'normal!' (v:count > 0 ? v:count : '') . a:key
    catch /^Vim/
      call patchbay#say(substitute(v:exception, '^Vim\%((\a\+)\)\=:', '', ''), 'ErrorMsg')
    endtry
  else
    call s:Decide(a:verdict)
  endif
endfunction

function! patchbay#hunk#accept() abort
  return s:Decide('accept')
endfunction

function! patchbay#hunk#reject() abort
  return s:Decide('reject')
endfunction

" Takes the last verdict on a hunk back.
function! patchbay#hunk#undo() abort
  let here = patchbay#go#current()
  return here ==# '' ? 0 : patchbay#command#coc('undoHunk', [here])
endfunction

" Which side the cursor is in, and its line from 0; {} in any other window, and that is said.
function! patchbay#hunk#place() abort
  let review = patchbay#review#find(get(b:, 'patchbay_review', ''))
  if empty(review)
    call patchbay#say(patchbay#text('Put the cursor on a hunk of the proposal first.'), 'WarningMsg')
    return {}
  endif
  return {'id': review.id, 'side': bufnr('%') == review.left ? 'left' : 'right', 'line': line('.') - 1}
endfunction

function! s:Decide(verdict) abort
  let place = patchbay#hunk#place()
  if empty(place) || patchbay#go#here(a:verdict) ==# ''
    return 0
  endif
  return patchbay#command#coc(a:verdict . 'Hunk', [place.id, place.side, place.line])
endfunction

" What has been decided of a review, for its status line; `line` is where the next hunk is, from 0, -1 for none.
function! patchbay#hunk#decided(id, accepted, rejected, line) abort
  let review = patchbay#review#find(a:id)
  if empty(review)
    return
  endif
  let [review.accepted, review.rejected] = [a:accepted, a:rejected]
  " Who types on takes the cursor along.
  if a:line >= 0 && index([review.left, review.right], bufnr('%')) >= 0 && mode() !~# '^[iR]'
    for window in win_findbuf(review.right)
      call win_execute(window, 'call cursor(' . (a:line + 1) . ', 1)')
    endfor
    if bufnr('%') == review.left
      " It follows the other side.
      call win_execute(win_findbuf(review.right)[0], 'syncbind')
    endif
  endif
  redrawstatus!
endfunction

" To the next hunk; after the last one to the first one of the next proposal.
function! patchbay#hunk#next() abort
  return s:Go(']c', 1)
endfunction

function! patchbay#hunk#previous() abort
  return s:Go('[c', -1)
endfunction

function! s:Go(key, step) abort
  let [here, line] = [get(b:, 'patchbay_review', ''), line('.')]
  if here !=# ''
    call patchbay#unified#go(a:step > 0)
    if line('.') != line
      return 1
    endif
  endif
  if patchbay#review#open_ids() ==# [here]
    call patchbay#say(a:step > 0 ? patchbay#text('This is the last hunk.') : patchbay#text('This is the first hunk.'), 'MoreMsg')
    return 0
  endif
  if !(a:step > 0 ? patchbay#go#next() : patchbay#go#previous())
    return 0
  endif
  call cursor(a:step > 0 ? 1 : line('$'), 1)
  if diff_hlID(line('.'), 1) == 0 && diff_filler(line('.')) == 0
    execute 'silent! normal!' a:key
  endif
  return 1
endfunction
