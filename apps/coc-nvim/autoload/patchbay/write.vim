" Whose hand it was. Writing a proposal accepts it where the user did so: a write command typed in its window, for it alone. :wa and
" plugins that save by themselves never accept what he has perhaps not looked at. Nor does a key that was on its way elsewhere: a
" review that came by itself takes no verdict before the keys have rested for a second, or three seconds have passed.

" The Ex command the user typed last: [buffer, command, time].
let s:typed = [0, '', []]

" The window that was left last.
let s:left = 0

" How long keys must rest in a review that was not asked for, and after the user was told so, seconds.
let [s:rest, s:told_rest] = [1.0, 0.5]
" Who goes on typing in a review for so long has seen it, seconds.
let s:longest = 3.0

" What may stand before a write command without making it another one.
let s:before = '^[: \t]*\%(\%(sil\%[ent]!\?\|uns\%[ilent]\|conf\%[irm]\|keepa\%[lt]\|keepj\%[umps]\|kee\%[pmarks]\|lockm\%[arks]\|\d*verb\%[ose]\)\s\+\)*'
      \ . '\%(%\|1,\$\)\?\s*'
let s:after = '\>!\?\%(\s*++\S\+\)*\s*\%(|.*\)\?$'
" :W and :Wq are what many make of the shift key that is held too long.
let s:write = s:before . '\%([wW]\|w\%[rite]\|[wW][qQ]\|up\%[date]\|x\%[it]\|exi\%[t]\)' . s:after
" These write only what was changed.
let s:update = s:before . '\%(up\%[date]\|x\%[it]\|exi\%[t]\)' . s:after
" These write all and end Vim.
let s:write_all = s:before . '\%(wqa\%[ll]\|xa\%[ll]\)\s*$'

" The review has come by itself, or the cursor has come into it.
function! patchbay#write#arrive(review, entered) abort
  let a:review.held = {'came': reltime(), 'since': reltime(), 'rest': s:rest, 'from': a:entered ? s:left : 0}
endfunction

" The user asked for it.
function! patchbay#write#asked(review) abort
  let a:review.held = {}
endfunction

" A window is left; called while reviews are open.
function! patchbay#write#leave() abort
  let s:left = win_getid()
endfunction

" A key was pressed in the review under the cursor, or about the one that is named.
function! patchbay#write#pressed(...) abort
  let review = patchbay#review#find(a:0 > 0 ? a:1 : get(b:, 'patchbay_review', ''))
  if !empty(review) && s:IsHeld(review)
    let review.held.since = reltime()
  endif
endfunction

" Whether a review takes no verdict yet.
function! s:IsHeld(review) abort
  let held = a:review.held
  if empty(held)
    return 0
  endif
  " Who came from a window that is still there has come by himself; one that was closed under the cursor led him here.
  let by_himself = held.from > 0 && win_id2tabwin(held.from) !=# [0, 0]
  if by_himself || reltimefloat(reltime(held.since)) >= held.rest || reltimefloat(reltime(held.came)) >= s:longest
    let a:review.held = {}
  endif
  return !empty(a:review.held)
endfunction

" Whether a verdict ('accept' or 'reject') counts now; where it does not, that is said.
function! patchbay#write#counts(review, verdict) abort
  " ZQ and the like move nothing before: the clock is looked at now.
  if !s:IsHeld(a:review)
    return 1
  endif
  let [a:review.held.since, a:review.held.rest] = [reltime(), s:told_rest]
  let number = a:review.right
  let text = a:verdict ==# 'accept'
        \ ? patchbay#text('Not accepted: the proposal for {0} has just opened. Repeat this to accept it.', a:review.title)
        \ : patchbay#text('Not rejected: the proposal for {0} has just opened. Repeat this to reject it.', a:review.title)
  " Where its window could not be kept, that is said when it opens again.
  call timer_start(0, {-> bufexists(number) ? patchbay#say(text, 'WarningMsg') : 0})
  return 0
endfunction

" Whether the proposal cannot be accepted: only the agent's terminal can answer, or there is a conflict with the file, to which the
" user is led.
function! patchbay#write#is_blocked(review) abort
  if a:review.present && a:review.terminal
    call s:SayLater(patchbay#text('Not accepted: answer in {0}''s terminal. You can apply your edits once it has written.', a:review.agent))
    return 1
  endif
  if a:review.standing !=# 'conflict'
    return 0
  endif
  let at = match(getbufline(a:review.right, 1, '$'), '^\%(<<<<<<< current file\|>>>>>>> proposed change\)$')
  if at >= 0
    if bufnr('%') == a:review.right
      call cursor(at + 1, 1)
    endif
    call s:SayLater(patchbay#text('Not accepted: {0} has changed in the same lines. Keep what is right between <<<<<<< and >>>>>>>.', a:review.title))
  endif
  return at >= 0
endfunction

" So that it takes the place of what Vim itself says now.
function! s:SayLater(text) abort
  call timer_start(0, {-> patchbay#say(a:text, 'WarningMsg')})
endfunction

" While the command runs that is under way Vim takes a buffer for changed: it writes what it would pass over, and does not leave
" what it would leave.
function! s:Pretend(number) abort
  if !getbufvar(a:number, '&modified')
    call setbufvar(a:number, '&modified', 1)
    call setbufvar(a:number, 'patchbay_pretended', 1)
    call timer_start(0, {-> s:EndPretence(a:number)})
  endif
endfunction

function! s:EndPretence(number) abort
  if bufexists(a:number) && getbufvar(a:number, 'patchbay_pretended', 0)
    call setbufvar(a:number, '&modified', 0)
    call setbufvar(a:number, 'patchbay_pretended', 0)
  endif
endfunction

" Whether the right side holds changes of the user's that are nowhere else.
function! patchbay#write#is_edited(review) abort
  return getbufvar(a:review.right, '&modified') && !getbufvar(a:review.right, 'patchbay_pretended', 0)
endfunction

" A command line was left; called while reviews are open.
function! patchbay#write#typed() abort
  if get(v:event, 'abort', 0)
    return
  endif
  let s:typed = [bufnr('%'), getcmdline(), reltime()]
  if getcmdline() =~# s:write_all
    " Vim 9.0 has no ExitPre for these.
    call patchbay#write#exit()
  endif
  let review = patchbay#review#find(get(b:, 'patchbay_review', ''))
  if empty(review)
    return
  endif
  if bufnr('%') == review.right && getcmdline() =~# s:update
    " An untouched proposal would not be accepted, or even be rejected.
    call s:Pretend(review.right)
  elseif bufnr('%') == review.left && getcmdline() =~# s:write
    call s:SayLater(patchbay#text('This side is the file as it is. Use :w in the proposal''s window to accept.'))
  endif
endfunction

" A review's proposal is written (BufWriteCmd).
function! patchbay#write#now(id) abort
  let review = patchbay#review#find(a:id)
  if empty(review) || review.state !=# 'open'
    return
  endif
  let target = expand('<amatch>')
  if s:IsElsewhere(review, target)
    call s:Copy(review, target, 1, '$', '')
    return
  endif
  let [typed, s:typed] = [s:typed, [0, '', []]]
  if s:ByHand(review.right, typed)
    if patchbay#write#counts(review, 'accept') && !patchbay#write#is_blocked(review)
      call patchbay#review#accept(a:id)
    else
      call s:Pretend(review.right)
    endif
  elseif s:IsNow(typed) || !review.warned
    " A plugin that saves again and again is told of once.
    let review.warned = 1
    call s:SayLater(patchbay#text('Not accepted: {0} was written by a command for many buffers or by a plugin. Type :w in its window.', review.title))
  endif
endfunction

" Some lines of it are written or appended to a file (FileWriteCmd, FileAppendCmd): a copy, not a verdict.
function! patchbay#write#part(id, flags) abort
  let review = patchbay#review#find(a:id)
  let target = expand('<amatch>')
  if empty(review)
    return
  elseif s:IsElsewhere(review, target)
    call s:Copy(review, target, line("'["), line("']"), a:flags)
  else
    call s:SayLater(patchbay#text('Not accepted: this would be only a part of {0}. :w accepts all of it; dp and do leave hunks out.', review.title))
  endif
endfunction

function! s:IsElsewhere(review, target) abort
  return a:target !=# '' && bufnr(a:target) != a:review.right && fnamemodify(a:target, ':t') !=# fnamemodify(bufname(a:review.right), ':t')
endfunction

" :w some/other/file is a copy, not a verdict.
function! s:Copy(review, target, first, last, flags) abort
  let ending = getbufvar(a:review.right, '&fileformat') ==# 'dos' ? "\r" : ''
  let copy = map(getbufline(a:review.right, a:first, a:last), 'v:val . ending')
  let whole = getbufvar(a:review.right, '&endofline') || a:last !=# '$'
  if writefile(whole ? copy : copy[:-2] + [trim(copy[-1], "\r", 2)], a:target, (whole ? '' : 'b') . a:flags) == 0
    call s:SayLater(patchbay#text('{0} written; the proposal is still open', '"' . a:target . '"'))
  endif
endfunction

" A window of a review is about to be left by :quit (QuitPre). What follows the writing of :wq is no verdict of its own.
function! patchbay#write#quit(id) abort
  let review = patchbay#review#find(a:id)
  if !empty(review) && review.state ==# 'open' && bufnr('%') == review.right && !getbufvar(review.right, 'patchbay_pretended', 0)
        \ && !patchbay#write#counts(review, 'reject')
    call s:Pretend(review.right)
  endif
endfunction

" The editor is about to end (ExitPre). As for unsaved changes Vim asks for a !, and the user is told what would end with it.
function! patchbay#write#exit() abort
  let open = map(patchbay#review#open_ids(), {_, id -> patchbay#review#find(id)})
  if !empty(filter(copy(open), 'getbufvar(v:val.right, "&readonly")'))
    return
  endif
  for review in open
    call s:Pretend(review.right)
    " :wqall ends Vim whatever became of the writing, but not where it may not write.
    call setbufvar(review.right, '&readonly', 1)
  endfor
  if !empty(open)
    let [first, back] = [open[0], win_getid()]
    let text = len(open) == 1 ? patchbay#text('Not closed: the proposal for {0} is waiting for your answer. :qa! quits without one.', first.title)
          \ : patchbay#text('Not closed: {0} proposals are waiting for your answer. :qa! quits without one.', len(open))
    call timer_start(0, {-> s:Stay(open, back, text)})
  endif
endfunction

" Vim has gone to the buffer that it took for changed.
function! s:Stay(open, back, text) abort
  for review in a:open
    if bufexists(review.right)
      call setbufvar(review.right, '&readonly', 0)
    endif
  endfor
  call win_gotoid(a:back)
  call patchbay#say(a:text, 'WarningMsg')
endfunction

function! s:ByHand(number, typed) abort
  return a:typed[0] == a:number && bufnr('%') == a:number && s:IsNow(a:typed) && a:typed[1] =~# s:write
endfunction

function! s:IsNow(typed) abort
  return a:typed[0] > 0 && reltimefloat(reltime(a:typed[2])) < 1
endfunction
