" Reviews in Vim's own diff mode: two scratch buffers, on the left the file as it is, on the right the proposal.
"   :w, :wq, ZZ or a key    accept, with what the user changed (also hunk by hunk, with do and dp)
"   :q, :tabclose or a key  reject; an edited proposal needs :q!
" A verdict is given by the user's own hand only: :wa and plugins that save by themselves never accept (see s:ByHand).
" Windows that are not ours are never closed, and the cursor never leaves the window the user is in.

let s:reviews = {}
let s:order = []
" The Ex command the user typed last in a review: [buffer, command, time].
let s:typed = [0, '', []]

" Opens a review. The answer's state is 'opened', 'adopted' (it was there: coc had been restarted) or 'busy' (try again later).
function! patchbay#review#open(request) abort
  let id = a:request.id
  if has_key(s:reviews, id)
    return s:Adopt(s:reviews[id], a:request)
  endif
  if s:Busy()
    return {'state': 'busy'}
  endif
  let review = extend(copy(a:request), {
        \ 'state': 'open', 'left': 0, 'right': 0, 'tick': 0, 'told': 0, 'seen': 0, 'unsaved': 0, 'text': {}, 'back': win_getid(),
        \ })
  let back = win_getid()
  let before = mode()
  let show = a:request.focus && mode(1) ==# 'n' && !s:InReview()
  let [lazy, &lazyredraw] = [&lazyredraw, 1]
  try
    noautocmd call s:Build(review)
    let s:reviews[id] = review
    call add(s:order, id)
  catch
    call s:Wipe([review.left, review.right])
    if v:exception =~# 'E523\|E565\|E11:\|E788\|E1312'
      return {'state': 'busy'}
    endif
    throw 'patchbay: ' . v:exception . ' at ' . v:throwpoint
  finally
    let landed = win_getid()
    if landed != back
      noautocmd call win_gotoid(back)
      call s:ResumeVisual(before)
    endif
    let &lazyredraw = lazy
  endtry
  call s:Attach(review)
  if show
    call win_gotoid(bufwinid(review.right) == -1 ? get(win_findbuf(review.right), 0, back) : bufwinid(review.right))
  endif
  if !has('nvim')
    redraw
  endif
  return {'state': 'opened', 'unsaved': review.unsaved}
endfunction

function! s:Busy() abort
  return getcmdwintype() !=# '' || mode() =~# '^[cr!]' || mode(1) =~# '^no' || (exists('*state') && state('mo') !=# '')
endfunction

function! s:InReview() abort
  for review in values(s:reviews)
    if bufnr('%') == review.left || bufnr('%') == review.right
      return 1
    endif
  endfor
  return 0
endfunction

" Runs without autocommands, so that nothing of the user's reacts to windows that he is not in.
function! s:Build(review) abort
  let layout = a:review.layout
  " In a tab page with diff windows of somebody else all would be compared with all.
  if layout !=# 'tab' && !empty(filter(range(1, winnr('$')), 'getwinvar(v:val, "&diff")'))
    let layout = 'tab'
  endif
  if layout ==# 'vertical'
    keepalt botright new
  elseif layout ==# 'horizontal'
    keepalt botright vnew
  else
    keepalt tabnew
    let t:patchbay_review = a:review.id
  endif
  let a:review.left = bufnr('%')
  call s:Scratch(a:review.leftName, 'nofile')
  call s:FillLeft(a:review)
  if layout ==# 'horizontal'
    keepalt rightbelow new
  else
    keepalt rightbelow vnew
  endif
  let a:review.right = bufnr('%')
  call s:Scratch(a:review.rightName, 'acwrite')
  call s:FillRight(a:review)
  diffthis
  execute bufwinnr(a:review.left) . 'wincmd w'
  diffthis
  execute bufwinnr(a:review.right) . 'wincmd w'
  diffupdate
  call cursor(1, 1)
  if diff_hlID(1, 1) == 0 && diff_filler(1) == 0
    silent! normal! ]c
  endif
endfunction

function! s:Scratch(name, type) abort
  let b:coc_enabled = 0
  execute 'setlocal buftype=' . a:type . ' bufhidden=wipe noswapfile nobuflisted'
  setlocal noundofile nodiff noscrollbind nocursorbind nowinfixheight nowinfixwidth nopreviewwindow nospell
  execute 'silent keepalt file' fnameescape(a:name)
  if exists('&winfixbuf')
    setlocal winfixbuf
  endif
endfunction

" What the agent's change is against: the file. Text that was never saved is not part of that, so it is left out and said.
function! s:FillLeft(review) abort
  let number = s:BufferOf(a:review.path)
  let saved = &l:undolevels
  setlocal undolevels=-1
  if number > 0 && bufloaded(number)
    let a:review.unsaved = getbufvar(number, '&modified') ? 1 : 0
  endif
  if number > 0 && bufloaded(number) && !a:review.unsaved
    call setline(1, getbufline(number, 1, '$'))
  elseif filereadable(a:review.path)
    execute 'silent keepalt 0read ++edit' fnameescape(a:review.path)
    silent keepjumps $delete _
  endif
  setlocal nomodified nomodifiable readonly
  let &l:undolevels = saved
  let &l:statusline = '%!patchbay#review#line(' . string(a:review.id) . ', 0)'
  if exists('+winbar') && a:review.hints
    " As high as the other side's, so that lines stand beside lines.
    let &l:winbar = ' '
  endif
endfunction

function! s:FillRight(review) abort
  setlocal undolevels=-1
  call s:SetText(get(a:review, 'draft', a:review.proposal))
  setlocal undolevels<
  execute 'setlocal' (has_key(a:review, 'draft') ? 'modified' : 'nomodified') 'nofixendofline'
  let a:review.tick = b:changedtick
  let &l:statusline = '%!patchbay#review#line(' . string(a:review.id) . ', 1)'
  if exists('+winbar') && a:review.hints
    let &l:winbar = '%{%patchbay#review#hint(' . string(a:review.id) . ')%}'
  endif
endfunction

" A text as lib/ sends it: lines, line ends and whether the last line has one.
function! s:SetText(text) abort
  silent keepjumps %delete _
  call setline(1, empty(a:text.lines) ? [''] : a:text.lines)
  execute 'setlocal fileformat=' . a:text.format (a:text.newline ? 'endofline' : 'noendofline')
endfunction

" What stays for both buffers' lives: events, keys, colours.
function! s:Attach(review) abort
  let id = string(a:review.id)
  augroup patchbay_review
    execute 'autocmd BufWriteCmd <buffer=' . a:review.right . '> call s:Write(' . id . ')'
    execute 'autocmd BufReadCmd <buffer=' . a:review.right . '> call s:Refill(' . id . ')'
    execute 'autocmd BufWipeout <buffer=' . a:review.right . '> call s:Wiped(' . id . ')'
    execute 'autocmd TextChanged,TextChangedI,TextChangedP <buffer=' . a:review.right . '> call s:Changed(' . id . ')'
    execute 'autocmd BufEnter <buffer=' . a:review.right . '> call s:Entered(' . id . ')'
  augroup END
  call s:Listen()
  call s:Guard(a:review.path)
  for number in [a:review.left, a:review.right]
    call setbufvar(number, 'patchbay_review', a:review.id)
    let type = s:SyntaxOf(a:review.path)
    if type !=# ''
      call setbufvar(number, '&syntax', type)
    endif
  endfor
  call s:MapKeys(a:review)
endfunction

function! s:SyntaxOf(path) abort
  let number = s:BufferOf(a:path)
  let type = number > 0 ? getbufvar(number, '&filetype') : ''
  if type ==# ''
    let type = get(s:extensions, fnamemodify(a:path, ':e'), '')
  endif
  return type
endfunction

let s:extensions = {'c': 'c', 'h': 'c', 'cpp': 'cpp', 'cs': 'cs', 'css': 'css', 'go': 'go', 'html': 'html', 'java': 'java',
      \ 'js': 'javascript', 'mjs': 'javascript', 'cjs': 'javascript', 'jsx': 'javascriptreact', 'json': 'json', 'kt': 'kotlin',
      \ 'lua': 'lua', 'md': 'markdown', 'php': 'php', 'py': 'python', 'rb': 'ruby', 'rs': 'rust', 'scss': 'scss', 'sh': 'sh',
      \ 'sql': 'sql', 'swift': 'swift', 'toml': 'toml', 'ts': 'typescript', 'tsx': 'typescriptreact', 'vim': 'vim', 'vue': 'vue',
      \ 'xml': 'xml', 'yaml': 'yaml', 'yml': 'yaml', 'zig': 'zig'}

" Keys exist in the two buffers of a review and nowhere else. They are made when the user first enters them: mapping needs
" the buffer to be the current one.
function! s:MapKeys(review) abort
  augroup patchbay_review
    for number in [a:review.left, a:review.right]
      execute 'autocmd BufEnter <buffer=' . number . '> ++once call s:MapHere(' . string(a:review.id) . ')'
    endfor
  augroup END
endfunction

function! s:MapHere(id) abort
  if !has_key(s:reviews, a:id) || get(b:, 'patchbay_mapped', 0)
    return
  endif
  let b:patchbay_mapped = 1
  if bufnr('%') == s:reviews[a:id].right
    " :x and ZZ write only what was changed, so on an untouched proposal they would reject it.
    for command in ['x', 'xit', 'exi', 'exit']
      execute 'cnoreabbrev <expr> <buffer>' command
            \ '(getcmdtype() ==# ":" && getcmdline() ==# ' . string(command) . ') ? "wq" : ' . string(command)
    endfor
    nnoremap <buffer> <silent> ZZ <Cmd>call patchbay#review#accept()<CR>
  endif
  let keys = s:reviews[a:id].keys
  for [action, key] in items(keys)
    if key !=# ''
      execute 'nnoremap <buffer> <silent> <nowait>' key '<Cmd>call patchbay#review#' . action . '()<CR>'
    endif
  endfor
endfunction

function! s:Entered(id) abort
  let review = get(s:reviews, a:id, {})
  if empty(review) || review.seen
    return
  endif
  let review.seen = 1
  if review.hints
    call patchbay#say(patchbay#review#hint(a:id), 'MoreMsg')
  endif
endfunction

" Which keys decide, for the winbar and the message on entering.
function! patchbay#review#hint(id) abort
  let review = get(s:reviews, a:id, {})
  if empty(review)
    return ''
  endif
  let leader = get(g:, 'mapleader', '\')
  let keys = map(copy(review.keys), {_, key -> substitute(key, '\c<leader>', escape(leader ==# ' ' ? '<Space>' : leader, '\&~'), '')})
  return ' :w' . (get(keys, 'accept', '') ==# '' ? '' : ' or ' . keys.accept) . ' accepts   :q'
        \ . (get(keys, 'reject', '') ==# '' ? '' : ' or ' . keys.reject) . ' rejects   do drops a hunk'
endfunction

" The status line of a review's windows.
function! patchbay#review#line(id, proposal) abort
  let review = get(s:reviews, a:id, {})
  if empty(review)
    return ''
  endif
  if !a:proposal
    return ' ' . s:Escape(review.title) . ' now%<' . (review.unsaved ? ' [without your unsaved text]' : '')
  endif
  let text = ' ' . s:Escape(review.agent) . (review.kind ==# 'delete' ? ' empties ' : review.kind ==# 'create' ? ' creates ' : ' proposes ')
  let text .= s:Escape(review.title) . '%{&modified ? "  [edited]" : ""}'
  if !review.present
    let text .= '  [the agent has gone: your text is kept here]'
  endif
  let open = s:Open()
  if len(open) > 1
    let text .= '  ' . (index(open, a:id) + 1) . '/' . len(open)
  endif
  return text . '%<%=:w accepts  :q rejects '
endfunction

function! s:Escape(text) abort
  return substitute(a:text, '%', '%%', 'g')
endfunction

" One set of global autocommands while any review is open, none otherwise.
function! s:Listen() abort
  augroup patchbay_reviews
    autocmd!
    autocmd CmdlineLeave : call s:Typed()
    " do and dp from the other window change the proposal without TextChanged.
    autocmd DiffUpdated * call s:CheckAll()
  augroup END
endfunction

function! s:Typed() abort
  if !get(v:event, 'abort', 0) && get(b:, 'patchbay_review', '') !=# ''
    let s:typed = [bufnr('%'), getcmdline(), reltime()]
  endif
endfunction

" Whether a write of this buffer was asked for by the user's own hand, now, for this buffer alone.
function! s:ByHand(number) abort
  let [number, command, time] = s:typed
  let s:typed = [0, '', []]
  return number == a:number && bufnr('%') == a:number && reltimefloat(reltime(time)) < 1
        \ && command =~# '^[: \t]*\%(sil\%[ent]!\?\s\+\)\?\%(w\%[rite]\|wq\|up\%[date]\|x\%[it]\|exi\%[t]\)\>!\?\s*\%(|.*\)\?$'
endfunction

function! s:Write(id) abort
  let review = get(s:reviews, a:id, {})
  let number = str2nr(expand('<abuf>'))
  if empty(review) || review.state !=# 'open'
    return
  endif
  let target = expand('<amatch>')
  if target !=# '' && bufnr(target) != review.right && fnamemodify(target, ':t') !=# fnamemodify(bufname(review.right), ':t')
    " :w some/other/file is a copy, not a verdict.
    let ending = getbufvar(review.right, '&fileformat') ==# 'dos' ? "\r" : ''
    let copy = map(getbufline(review.right, 1, '$'), 'v:val . ending')
    call writefile(getbufvar(review.right, '&endofline') ? copy : copy[:-2] + [trim(copy[-1], "\r", 2)],
          \ target, getbufvar(review.right, '&endofline') ? '' : 'b')
    echo '"' . target . '" written; the proposal is still open'
    return
  endif
  if !s:ByHand(review.right)
    call patchbay#say('Not accepted: ' . review.title . ' was written by a command for many buffers or by a plugin. Type :w in its window.', 'WarningMsg')
    return
  endif
  call s:Accept(a:id)
endfunction

function! s:Accept(id) abort
  let review = s:reviews[a:id]
  let review.text = patchbay#review#text(a:id)
  let review.state = 'accepted'
  call setbufvar(review.right, '&modified', 0)
  if !patchbay#tell('accepted', a:id, review.text)
    call patchbay#say('Accepted: ' . review.title . '. ' . review.agent . ' hears of it as soon as coc is running again.', 'MoreMsg')
  endif
  redrawstatus!
endfunction

function! s:Reject(id) abort
  let review = s:reviews[a:id]
  let review.state = 'rejected'
  if !patchbay#tell('rejected', a:id)
    call patchbay#say('Rejected: ' . review.title . '. ' . review.agent . ' hears of it as soon as coc is running again.', 'MoreMsg')
  endif
  " Not now: this may run inside the closing of the very window.
  call timer_start(0, {-> s:Close(a:id)})
endfunction

" :e! gives up what was typed, as in a file: there is the proposal again.
function! s:Refill(id) abort
  if has_key(s:reviews, a:id)
    call s:SetText(s:reviews[a:id].proposal)
    setlocal nomodified
    call s:Changed(a:id)
  endif
endfunction

function! s:Wiped(id) abort
  let review = get(s:reviews, a:id, {})
  if !empty(review) && review.state ==# 'open' && !get(g:, 'coc_vim_leaving', 0)
    call s:Reject(a:id)
  endif
endfunction

function! s:Changed(id) abort
  let review = get(s:reviews, a:id, {})
  if empty(review) || review.state !=# 'open'
    return
  endif
  let tick = getbufvar(review.right, 'changedtick')
  if tick != review.tick
    let review.tick = tick
    if !review.told
      let review.told = patchbay#tell('edited', a:id)
    endif
  endif
endfunction

function! s:CheckAll() abort
  for id in s:Open()
    call s:Changed(id)
  endfor
endfunction

" The proposal as it stands; the next change is told again.
function! patchbay#review#text(id) abort
  let review = get(s:reviews, a:id, {})
  if empty(review)
    return v:null
  endif
  let review.told = 0
  if !bufexists(review.right)
    return empty(review.text) ? v:null : review.text
  endif
  return {
        \ 'lines': getbufline(review.right, 1, '$'),
        \ 'format': getbufvar(review.right, '&fileformat'),
        \ 'newline': getbufvar(review.right, '&endofline') ? 1 : 0,
        \ }
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
  let page = tabpagenr()
  call s:Wipe([review.right, review.left])
  if inside && review.back != win_getid()
    call win_gotoid(review.back)
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

" Takes buffers and their windows away. In a tab page that the user is not in, never by :bwipeout: with a floating window
" there (a notice of coc) Neovim 0.10 ends with a segmentation fault.
function! s:Wipe(numbers) abort
  let numbers = filter(copy(a:numbers), 'v:val > 0 && bufexists(v:val)')
  for page in reverse(range(1, tabpagenr('$')))
    let windows = s:Windows(page)
    let ours = filter(copy(windows), 'index(numbers, winbufnr(v:val)) >= 0')
    if empty(ours) || page == tabpagenr()
      continue
    endif
    if len(ours) == len(windows)
      execute 'silent! tabclose!' page
    else
      call s:CloseElsewhere(page, numbers)
    endif
  endfor
  for number in numbers
    if bufexists(number)
      execute 'silent! bwipeout!' number
    endif
  endfor
endfunction

" The windows of a tab page, without floating ones.
function! s:Windows(page) abort
  let windows = gettabinfo(a:page)[0].windows
  return has('nvim') ? filter(copy(windows), 'nvim_win_get_config(v:val).relative ==# ""') : windows
endfunction

" The user's windows stay in that tab page; he is led there and back within one command, as in opening.
function! s:CloseElsewhere(page, numbers) abort
  let back = win_getid()
  let before = mode()
  for number in a:numbers
    for window in win_findbuf(number)
      if win_id2tabwin(window)[0] == a:page
        noautocmd call win_gotoid(window)
        noautocmd silent! close!
      endif
    endfor
  endfor
  noautocmd call win_gotoid(back)
  call s:ResumeVisual(before)
endfunction

function! s:ResumeVisual(before) abort
  if a:before =~# "^[vV\<C-v>]"
    normal! gv
  elseif a:before =~# "^[sS\<C-s>]"
    execute "normal! gv\<C-g>"
  endif
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
  let a:review.present = a:request.present
  let a:review.keys = a:request.keys
  let a:review.told = 0
  redrawstatus!
  return {'state': 'adopted', 'unsaved': a:review.unsaved, 'verdict': a:review.state,
        \ 'text': a:review.state ==# 'accepted' ? a:review.text : v:null}
endfunction

" Whether the asking agent is there.
function! patchbay#review#present(id, present) abort
  if has_key(s:reviews, a:id)
    let s:reviews[a:id].present = a:present
    redrawstatus!
  endif
endfunction

function! s:Open() abort
  return filter(copy(s:order), {_, id -> s:reviews[id].state ==# 'open'})
endfunction

" Goes to a review; the user asked for it.
function! patchbay#review#reveal(id) abort
  let review = get(s:reviews, a:id, {})
  let windows = empty(review) ? [] : win_findbuf(review.right)
  if empty(windows)
    return 0
  endif
  if !s:InReview()
    let review.back = win_getid()
  endif
  return win_gotoid(windows[0])
endfunction

" The review the cursor is in, else the only one, else ''.
function! patchbay#review#current() abort
  let open = s:Open()
  let here = get(b:, 'patchbay_review', '')
  if here !=# '' && index(open, here) >= 0
    return here
  endif
  return len(open) == 1 ? open[0] : ''
endfunction

function! s:Decide(action) abort
  let id = patchbay#review#current()
  if id ==# ''
    call patchbay#say(empty(s:Open()) ? 'No proposal is open.' : 'Several proposals are open: go to one first (:CocList patchbay).', 'WarningMsg')
    return 0
  endif
  call call(a:action, [id])
  return 1
endfunction

function! patchbay#review#accept() abort
  return s:Decide(function('s:Accept'))
endfunction

function! patchbay#review#reject() abort
  return s:Decide(function('s:Reject'))
endfunction

function! patchbay#review#next() abort
  return s:Go(1)
endfunction

function! patchbay#review#previous() abort
  return s:Go(-1)
endfunction

function! s:Go(step) abort
  let open = s:Open()
  if empty(open)
    call patchbay#say('No proposal is open.', 'WarningMsg')
    return 0
  endif
  let at = index(open, get(b:, 'patchbay_review', ''))
  let target = at < 0 ? (a:step > 0 ? 0 : -1) : (at + a:step) % len(open)
  return patchbay#review#reveal(open[target])
endfunction

" Not bufnr({name}): that takes a pattern, and file names may hold any character of one.
function! s:BufferOf(path) abort
  for info in getbufinfo()
    if info.name ==# a:path
      return info.bufnr
    endif
  endfor
  return -1
endfunction

" From the opening of a review until its file has been written, changes of that file on the disk never bring up Vim's prompt
" (which would hold up every agent): an unmodified buffer takes them over, and undo brings the old text back; a modified one is left alone.
function! s:Guard(path) abort
  let number = s:BufferOf(a:path)
  if number <= 0 || !bufloaded(number) || getbufvar(number, '&buftype') !=# ''
    return
  endif
  augroup patchbay_guard
    execute 'autocmd! * <buffer=' . number . '>'
    execute 'autocmd FileChangedShell <buffer=' . number . '> call s:FileChanged(' . number . ')'
    execute 'autocmd FileChangedShellPost <buffer=' . number . '> call s:FileReloaded()'
  augroup END
  " With 'autoread' Vim would not ask us, and reload without undo where the file is long.
  call setbufvar(number, '&autoread', 0)
endfunction

function! s:FileChanged(number) abort
  let v:fcs_choice = ''
  if v:fcs_reason ==# 'deleted'
    return
  endif
  if getbufvar(a:number, '&modified')
    call patchbay#tell('unsaved', fnamemodify(bufname(a:number), ':p'))
    return
  endif
  let s:undoreload = &undoreload
  set undoreload=-1
  let v:fcs_choice = 'reload'
endfunction

function! s:FileReloaded() abort
  if exists('s:undoreload')
    let &undoreload = s:undoreload
    unlet s:undoreload
  endif
endfunction

" Takes over what an agent wrote; called when the file on the disk has changed after a review.
function! patchbay#review#reload(path) abort
  let number = s:BufferOf(a:path)
  if number <= 0 || !bufloaded(number)
    return 1
  endif
  if getcmdwintype() !=# '' || mode() =~# '^[cr!]'
    return 0
  endif
  call s:Guard(a:path)
  execute 'silent! checktime' number
  call s:FileReloaded()
  if empty(filter(s:Open(), {_, id -> s:reviews[id].path ==# a:path}))
    augroup patchbay_guard
      execute 'autocmd! * <buffer=' . number . '>'
    augroup END
    call setbufvar(number, '&autoread', &g:autoread)
  endif
  if !has('nvim')
    redraw
  endif
  return 1
endfunction
