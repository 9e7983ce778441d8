" Writing a proposal accepts it, where the user's own hand wrote it: a write command typed in its window, for it alone. :wa and
" plugins that save by themselves never accept what he has perhaps not looked at.

" The Ex command the user typed last: [buffer, command, time].
let s:typed = [0, '', []]

" A command line was left; called while reviews are open.
function! patchbay#write#typed() abort
  if !get(v:event, 'abort', 0)
    let s:typed = [bufnr('%'), getcmdline(), reltime()]
    " These write only what was changed, so an untouched proposal would not be accepted, or even be rejected.
    if &buftype ==# 'acwrite' && get(b:, 'patchbay_review', '') !=# '' && getcmdline() =~# '^[: \t]*\%(up\%[date]\|x\%[it]\|exi\%[t]\)!\?\s*$'
      setlocal modified
    endif
  endif
endfunction

" A review's proposal is written (BufWriteCmd).
function! patchbay#write#now(id) abort
  let review = patchbay#review#find(a:id)
  if empty(review) || review.state !=# 'open'
    return
  endif
  let target = expand('<amatch>')
  if target !=# '' && bufnr(target) != review.right && fnamemodify(target, ':t') !=# fnamemodify(bufname(review.right), ':t')
    call s:Copy(review, target)
    return
  endif
  let [typed, s:typed] = [s:typed, [0, '', []]]
  if s:ByHand(review.right, typed)
    call patchbay#review#accept(a:id)
  elseif s:IsNow(typed) || !review.warned
    " A plugin that saves again and again is told of once. Later, so that it takes the place of what Vim itself says now.
    let review.warned = 1
    let text = 'Not accepted: ' . review.title . ' was written by a command for many buffers or by a plugin. Type :w in its window.'
    call timer_start(0, {-> patchbay#say(text, 'WarningMsg')})
  endif
endfunction

" :w some/other/file is a copy, not a verdict.
function! s:Copy(review, target) abort
  let ending = getbufvar(a:review.right, '&fileformat') ==# 'dos' ? "\r" : ''
  let copy = map(getbufline(a:review.right, 1, '$'), 'v:val . ending')
  let whole = getbufvar(a:review.right, '&endofline')
  call writefile(whole ? copy : copy[:-2] + [trim(copy[-1], "\r", 2)], a:target, whole ? '' : 'b')
  echo '"' . a:target . '" written; the proposal is still open'
endfunction

" :W and :Wq are what many make of the shift key that is held too long.
function! s:ByHand(number, typed) abort
  return a:typed[0] == a:number && bufnr('%') == a:number && s:IsNow(a:typed)
        \ && a:typed[1] =~# '^[: \t]*\%(sil\%[ent]!\?\s\+\)\?\%([wW]\|w\%[rite]\|[wW][qQ]\|up\%[date]\|x\%[it]\|exi\%[t]\)\>!\?\s*\%(|.*\)\?$'
endfunction

function! s:IsNow(typed) abort
  return a:typed[0] > 0 && reltimefloat(reltime(a:typed[2])) < 1
endfunction
