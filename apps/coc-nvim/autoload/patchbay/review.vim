" Reviews in Vim's own diff mode: two scratch buffers, on the left the file as it is, on the right the proposal.
"   :w, :wq, ZZ or a key    accept, with what the user changed (also hunk by hunk, with do and dp)
"   :q, :tabclose or a key  reject; an edited proposal needs :q!
" A verdict is given by the user's own hand only: :wa and plugins that save by themselves never accept (see write.vim), and going
" elsewhere in the window of a proposal does not reject it (see s:Wiped). Windows that are not ours are never closed, and the
" cursor never leaves the window the user is in.

let s:reviews = {}
let s:order = []

" Opens a review. The answer's state is 'opened', 'adopted' (it was there: coc had been restarted) or 'busy' (try again later).
function! patchbay#review#open(request) abort
  let id = a:request.id
  if has_key(s:reviews, id)
    return s:Adopt(s:reviews[id], a:request)
  endif
  let review = extend(copy(a:request), {
        \ 'state': 'open', 'left': 0, 'right': 0, 'tick': 0, 'told': 0, 'seen': 0, 'warned': 0, 'text': {}, 'held': {},
        \ 'back': win_getid(), 'mode': mode(),
        \ })
  for name in ['original', 'proposal', 'draft']
    if has_key(review, name)
      let review[name].lines = patchbay#parts#lines(review[name])
    endif
  endfor
  let show = a:request.focus && mode(1) ==# 'n' && get(b:, 'patchbay_review', '') ==# ''
  if s:Busy() || !s:Show(review)
    return {'state': 'busy'}
  endif
  call s:Received(id)
  if show
    call win_gotoid(bufwinid(review.right) == -1 ? get(win_findbuf(review.right), 0, review.back) : bufwinid(review.right))
    call patchbay#write#arrive(review, 0)
  endif
  if !has('nvim')
    redraw
  endif
  return {'state': 'opened'}
endfunction

function! s:Received(id) abort
  for name in ['original', 'proposal', 'draft']
    call patchbay#parts#clear(a:id . ' ' . name)
  endfor
endfunction

" In Insert mode that an operator began (cw, C, s) Vim says that one is pending until it ends.
function! s:Busy() abort
  return patchbay#busy() || mode(1) =~# '^no'
        \ || (exists('*state') && state(mode() =~# '^[iR]' ? 'm' : 'mo') !=# '')
endfunction

" Puts a review on the screen; the cursor is in the window it was in afterwards. 0: not now.
function! s:Show(review) abort
  let back = win_getid()
  let before = mode()
  let [lazy, &lazyredraw] = [&lazyredraw, 1]
  try
    noautocmd call patchbay#window#build(a:review)
  catch
    call patchbay#window#wipe([a:review.left, a:review.right])
    if v:exception =~# 'E523\|E565\|E11:\|E788\|E863\|E994\|E1312'
      return 0
    endif
    throw 'patchbay: ' . v:exception . ' at ' . v:throwpoint
  finally
    if win_getid() != back
      noautocmd call win_gotoid(back)
      call patchbay#window#resume_visual(before)
    endif
    let &lazyredraw = lazy
  endtry
  let s:reviews[a:review.id] = a:review
  if index(s:order, a:review.id) < 0
    call add(s:order, a:review.id)
  endif
  call patchbay#write#arrive(a:review, 0)
  call s:Attach(a:review)
  return 1
endfunction

" What stays for both buffers' lives: events, keys, colours.
function! s:Attach(review) abort
  let id = string(a:review.id)
  augroup patchbay_review
    execute 'autocmd BufWriteCmd <buffer=' . a:review.right . '> call patchbay#write#now(' . id . ')'
    execute 'autocmd FileWriteCmd <buffer=' . a:review.right . '> call patchbay#write#part(' . id . ', "")'
    execute 'autocmd FileAppendCmd <buffer=' . a:review.right . '> call patchbay#write#part(' . id . ', "a")'
    execute 'autocmd QuitPre <buffer=' . a:review.right . '> call patchbay#write#quit(' . id . ')'
    execute 'autocmd BufReadCmd <buffer=' . a:review.right . '> call s:Refill(' . id . ')'
    execute 'autocmd BufWipeout <buffer=' . a:review.right . '> call s:Wiped(' . id . ')'
    execute 'autocmd TextChanged,TextChangedI,TextChangedP <buffer=' . a:review.right . '> call s:Changed(' . id . ')'
    for number in [a:review.left, a:review.right]
      execute 'autocmd BufEnter <buffer=' . number . '> call s:Entered(' . id . ')'
      execute 'autocmd CursorMoved,CursorMovedI,InsertEnter <buffer=' . number . '> call patchbay#write#pressed(' . id . ')'
    endfor
  augroup END
  call s:Listen()
  call patchbay#disk#guard(a:review.path)
  call setbufvar(a:review.left, 'patchbay_review', a:review.id)
  call setbufvar(a:review.right, 'patchbay_review', a:review.id)
  for number in [a:review.left, a:review.right]
    noautocmd call setbufvar(number, '&filetype', 'patchbay')
  endfor
  call patchbay#window#colour(a:review)
endfunction

function! s:Entered(id) abort
  let review = get(s:reviews, a:id, {})
  if empty(review)
    return
  endif
  call patchbay#write#arrive(review, 1)
  call patchbay#hints#map(review)
  " Neovim's window bar says it all the time.
  if review.hints && !review.seen && bufnr('%') == review.right && !exists('+winbar')
    call patchbay#say(patchbay#hints#text(review), 'MoreMsg', 1)
  endif
  let review.seen = review.seen || bufnr('%') == review.right
endfunction

" One set of global autocommands while any review is open, none otherwise.
function! s:Listen() abort
  augroup patchbay_reviews
    autocmd!
    autocmd CmdlineEnter : call patchbay#write#pressed()
    autocmd CmdlineLeave : call patchbay#write#typed()
    autocmd WinLeave * call patchbay#write#leave()
    autocmd ExitPre * call patchbay#write#exit()
    " do and dp from the other window change the proposal without TextChanged.
    autocmd DiffUpdated * call s:CheckAll()
  augroup END
endfunction

" More lines than this are not told with the verdict: lib/ asks for what it does not know of them, in parts.
let s:long = 4000

" The user accepts what the right side says now.
function! patchbay#review#accept(id) abort
  let review = s:reviews[a:id]
  let review.text = patchbay#sides#text(a:id)
  let review.state = 'accepted'
  call setbufvar(review.right, '&modified', 0)
  if !patchbay#tell('accepted', a:id, len(review.text.lines) > s:long ? {} : review.text)
    call patchbay#say(patchbay#text('Accepted: {0}. Your decision will be sent to {1} once coc is running again.', review.title, review.agent), 'MoreMsg')
  endif
  redrawstatus!
endfunction

" The user rejects.
function! patchbay#review#reject(id) abort
  call s:End(a:id, 'rejected')
endfunction

" By 'closed' a text that no agent takes any more is put aside, not thrown away.
function! s:End(id, verdict) abort
  let review = s:reviews[a:id]
  let review.state = a:verdict
  if !patchbay#tell(a:verdict, a:id) && a:verdict ==# 'rejected'
    call patchbay#say(patchbay#text('Rejected: {0}. Your decision will be sent to {1} once coc is running again.', review.title, review.agent), 'MoreMsg')
  endif
  " Not now: this may run inside the closing of the very window.
  call timer_start(0, {-> s:Close(a:id)})
endfunction

" :e! gives up what was typed, as in a file: there is the proposal again.
function! s:Refill(id) abort
  if has_key(s:reviews, a:id)
    call patchbay#changes#forget(s:reviews[a:id].right)
    call patchbay#window#set_text(s:reviews[a:id].proposal)
    setlocal nomodified
    call s:Changed(a:id)
  endif
endfunction

" The buffer goes. With its window, that rejects; where the window stays, the user has only gone elsewhere in it (CTRL-O, :edit,
" a plugin's list of files), and that is no verdict.
function! s:Wiped(id) abort
  let review = get(s:reviews, a:id, {})
  if empty(review) || review.state !=# 'open' || get(g:, 'coc_vim_leaving', 0)
    return
  endif
  let windows = win_findbuf(review.right)
  let text = patchbay#sides#text(a:id)
  let edited = patchbay#write#is_edited(review)
  call patchbay#write#pressed(a:id)
  let counts = empty(review.held)
  call timer_start(0, {-> s:Gone(a:id, windows, edited ? text : {}, counts)})
endfunction

function! s:Gone(id, windows, draft, counts) abort
  let review = get(s:reviews, a:id, {})
  if empty(review) || review.state !=# 'open'
    return
  endif
  let closed = empty(filter(copy(a:windows), 'win_id2tabwin(v:val) !=# [0, 0]'))
  if closed && a:counts
    call s:End(a:id, review.present && !review.terminal ? 'rejected' : 'closed')
  elseif !s:Reopen(review, a:draft, closed)
    call timer_start(200, {-> s:Gone(a:id, a:windows, a:draft, a:counts)})
  endif
endfunction

function! s:Reopen(review, draft, closed) abort
  if s:Busy()
    return 0
  endif
  call patchbay#window#wipe([a:review.left])
  if !empty(a:draft)
    let a:review.draft = a:draft
  endif
  let a:review.layout = 'tab'
  if !s:Show(a:review)
    return 0
  endif
  let was = a:closed ? patchbay#text('Not rejected: it had just opened.') . ' ' : ''
  call patchbay#say(was . patchbay#text('The proposal for {0} is waiting in its own tab page.', a:review.title), 'MoreMsg')
  return 1
endfunction

function! s:Changed(id) abort
  let review = get(s:reviews, a:id, {})
  if empty(review) || review.state !=# 'open'
    return
  endif
  let tick = getbufvar(review.right, 'changedtick', review.tick)
  if tick != review.tick
    let review.tick = tick
    if get(review, 'unified', 0)
      call patchbay#unified#soon(a:id)
    endif
    if !review.told
      let review.told = patchbay#tell('edited', a:id)
    endif
  endif
endfunction

function! s:CheckAll() abort
  for id in patchbay#review#open_ids()
    call s:Changed(id)
  endfor
endfunction

" Whether the right side holds a conflict with the file that is still to be resolved.
function! patchbay#review#standing(id, standing) abort
  if has_key(s:reviews, a:id)
    let s:reviews[a:id].standing = a:standing
    redrawstatus!
  endif
endfunction

" Takes a review away for a reason of core's; never a verdict. 0: not now, try again.
function! patchbay#review#close(id, reason) abort
  let review = get(s:reviews, a:id, {})
  if empty(review)
    return 1
  endif
  if s:Busy()
    return 0
  endif
  let review.state = 'closed'
  return s:Close(a:id)
endfunction

function! s:Close(id) abort
  let review = get(s:reviews, a:id, {})
  if empty(review) || review.state ==# 'open'
    return 1
  endif
  if getcmdwintype() !=# ''
    return 0
  endif
  let inside = bufnr('%') == review.left || bufnr('%') == review.right
  if inside && mode() =~# '^[iR]'
    stopinsert
  endif
  call patchbay#window#wipe([review.right, review.left])
  if inside && (review.back == win_getid() || win_gotoid(review.back)) && has('nvim') && review.mode ==# 't' && &buftype ==# 'terminal'
    " As Vim does by itself: the user types to the agent again.
    startinsert
  endif
  if bufexists(review.right) || bufexists(review.left)
    return 0
  endif
  if review.state ==# 'closed'
    call s:Forget(a:id)
  endif
  if !has('nvim')
    redraw
  endif
  return 1
endfunction

function! s:Forget(id) abort
  call remove(s:reviews, a:id)
  call filter(s:order, 'v:val !=# a:id')
  if empty(s:reviews)
    augroup patchbay_reviews
      autocmd!
    augroup END
  endif
endfunction

" Reviews that were open when coc went away; what was decided since then is told to the next start.
function! patchbay#review#leftovers() abort
  return map(copy(s:order), {_, id -> {
        \ 'id': id, 'path': s:reviews[id].path, 'agent': s:reviews[id].agent, 'state': s:reviews[id].state,
        \ }})
endfunction

" A review that is still on the screen takes the new start's proposal as its own; what the user typed stays as it is.
function! s:Adopt(review, request) abort
  let [a:review.present, a:review.terminal] = [a:request.present, a:request.terminal]
  let a:review.keys = a:request.keys
  let a:review.told = 0
  for name in ['original', 'proposal']
    let a:review[name] = extend(a:request[name], {'lines': patchbay#parts#lines(a:request[name])})
  endfor
  call s:Received(a:review.id)
  let [a:review.unsaved, a:review.standing] = [a:request.unsaved, a:request.standing]
  if bufexists(a:review.left)
    call patchbay#window#show_original(a:review)
  endif
  call patchbay#unified#soon(a:review.id)
  redrawstatus!
  return {'state': 'adopted', 'verdict': a:review.state,
        \ 'text': a:review.state ==# 'accepted' ? a:review.text : v:null}
endfunction

" Whether the asking agent is there.
function! patchbay#review#present(id, present) abort
  if has_key(s:reviews, a:id)
    let s:reviews[a:id].present = a:present
    redrawstatus!
  endif
endfunction

" Ids of those that wait for a verdict, the oldest first.
function! patchbay#review#open_ids() abort
  return filter(copy(s:order), {_, id -> s:reviews[id].state ==# 'open'})
endfunction

" For the other scripts: a review, {} where there is none.
function! patchbay#review#find(id) abort
  return get(s:reviews, a:id, {})
endfunction
