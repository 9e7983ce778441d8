" The windows of a review: two scratch buffers in diff mode, made and taken away without the cursor leaving the window the user
" is in, and without touching windows that are not ours.

" Makes the windows. Called without autocommands, so that nothing of the user's reacts to windows that he is not in.
function! patchbay#window#build(review) abort
  let layout = a:review.layout
  " In a tab page with diff windows of somebody else all would be compared with all.
  if layout !=# 'tab' && !empty(filter(range(1, winnr('$')), 'getwinvar(v:val, "&diff")'))
    let layout = 'tab'
  endif
  try
    call s:Build(a:review, layout)
  catch /E36:/
    if layout ==# 'tab'
      throw v:exception
    endif
    " There is no room among the windows of this tab page.
    call patchbay#window#wipe([a:review.left, a:review.right])
    call s:Build(a:review, 'tab')
  endtry
  if get(a:review, 'unified', 0)
    call patchbay#unified#on(a:review)
  endif
endfunction

function! s:Build(review, layout) abort
  if a:layout ==# 'vertical'
    keepalt botright new
  elseif a:layout ==# 'horizontal'
    keepalt botright vnew
  else
    " Behind the review before, so that gt goes from one to the next in the order they came.
    let pages = filter(range(1, tabpagenr('$')), 'gettabvar(v:val, "patchbay_review", "") !=# ""')
    execute 'keepalt' (empty(pages) ? tabpagenr() : pages[-1]) . 'tabnew'
    let t:patchbay_review = a:review.id
  endif
  let a:review.left = bufnr('%')
  call s:Scratch(a:review.leftName, 'nofile')
  call s:FillLeft(a:review)
  if a:layout ==# 'horizontal'
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

" What the proposal is against: the file as it is, or the unsaved text of its buffer.
function! s:FillLeft(review) abort
  setlocal undolevels=-1
  call patchbay#window#set_text(a:review.original)
  setlocal nomodified nomodifiable
  call patchbay#window#label(a:review, 0)
endfunction

" What the window of a side says of it.
function! patchbay#window#label(review, proposal) abort
  let about = '(' . string(a:review.id) . ', ' . a:proposal . ')'
  let &l:statusline = '%!patchbay#hints#line' . about
  if exists('+winbar') && a:review.hints
    let &l:winbar = '%{%patchbay#hints#bar' . about . '%}'
  endif
endfunction

" The same for a left side that is there: all of it anew.
function! patchbay#window#show_original(review) abort
  let lines = empty(a:review.original.lines) ? [''] : a:review.original.lines
  let height = len(getbufline(a:review.left, 1, '$'))
  call patchbay#window#edit(a:review.left, {'edits': [[1, height, len(lines)]], 'lines': lines})
endfunction

" Makes a buffer of ours hold other lines by the smallest changes: cursor, folds and marks stay, and undo takes back all of them
" at once. `edits` are [first line, how many go, how many come], from the top; what comes stands in `lines` one after the other.
function! patchbay#window#edit(number, change) abort
  if !bufexists(a:number)
    return
  endif
  " None of this is the user's doing.
  let [ignored, &eventignore] = [&eventignore, 'all']
  try
    call s:Edit(a:number, a:change)
  finally
    let &eventignore = ignored
  endtry
endfunction

function! s:Edit(number, change) abort
  let lines = patchbay#parts#lines(a:change)
  let at = len(lines)
  let locked = !getbufvar(a:number, '&modifiable')
  let windows = win_findbuf(a:number)
  call setbufvar(a:number, '&modifiable', 1)
  call s:EndUndoStep(windows)
  for [first, gone, come] in reverse(copy(a:change.edits))
    let new = come > 0 ? lines[at - come : at - 1] : []
    let at -= come
    let same = min([gone, come])
    if same > 0
      call setbufline(a:number, first, new[: same - 1])
    endif
    if come > same
      call appendbufline(a:number, first + same - 1, new[same :])
    elseif gone > same
      silent call deletebufline(a:number, first + same, first + gone - 1)
    endif
  endfor
  for option in ['format', 'newline']
    if has_key(a:change, option)
      call setbufvar(a:number, option ==# 'format' ? '&fileformat' : '&endofline', a:change[option])
    endif
  endfor
  call s:EndUndoStep(windows)
  if locked
    call setbufvar(a:number, '&modifiable', 0)
    call setbufvar(a:number, '&modified', 0)
  endif
  for window in windows
    if getwinvar(window, '&diff')
      call win_execute(window, 'diffupdate')
    endif
  endfor
  let id = getbufvar(a:number, 'patchbay_review', '')
  if id !=# ''
    call patchbay#unified#soon(id)
  endif
endfunction

function! s:EndUndoStep(windows) abort
  if !empty(a:windows)
    call win_execute(a:windows[0], 'let &l:undolevels = &l:undolevels')
  endif
endfunction

function! s:FillRight(review) abort
  setlocal undolevels=-1
  call patchbay#window#set_text(get(a:review, 'draft', a:review.proposal))
  setlocal undolevels<
  execute 'setlocal' (has_key(a:review, 'draft') ? 'modified' : 'nomodified') 'nofixendofline'
  if get(a:review, 'locked', 0)
    setlocal nomodifiable
  endif
  let a:review.tick = b:changedtick
  call patchbay#window#label(a:review, 1)
endfunction

" A text as lib/ sends it: lines, line ends and whether the last line has one.
function! patchbay#window#set_text(text) abort
  silent keepjumps %delete _
  call setline(1, empty(a:text.lines) ? [''] : a:text.lines)
  execute 'setlocal fileformat=' . a:text.format (a:text.newline ? 'endofline' : 'noendofline')
endfunction

" Colours as for the file, without starting what a 'filetype' starts.
function! patchbay#window#colour(review) abort
  let number = patchbay#track#number(a:review.path)
  let type = number > 0 ? getbufvar(number, '&filetype') : ''
  if type ==# ''
    let type = get(s:extensions, fnamemodify(a:review.path, ':e'), '')
  endif
  if type !=# ''
    call setbufvar(a:review.left, '&syntax', type)
    call setbufvar(a:review.right, '&syntax', type)
  endif
endfunction

let s:extensions = {'c': 'c', 'h': 'c', 'cpp': 'cpp', 'cs': 'cs', 'css': 'css', 'go': 'go', 'html': 'html', 'java': 'java',
      \ 'js': 'javascript', 'mjs': 'javascript', 'cjs': 'javascript', 'jsx': 'javascriptreact', 'json': 'json', 'kt': 'kotlin',
      \ 'lua': 'lua', 'md': 'markdown', 'php': 'php', 'py': 'python', 'rb': 'ruby', 'rs': 'rust', 'scss': 'scss', 'sh': 'sh',
      \ 'sql': 'sql', 'swift': 'swift', 'toml': 'toml', 'ts': 'typescript', 'tsx': 'typescriptreact', 'vim': 'vim', 'vue': 'vue',
      \ 'xml': 'xml', 'yaml': 'yaml', 'yml': 'yaml', 'zig': 'zig'}

" Takes buffers and their windows away. In a tab page that the user is not in, never by :bwipeout: with a floating window
" there (a notice of coc) Neovim 0.10 ends with a segmentation fault.
function! patchbay#window#wipe(numbers) abort
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
  call patchbay#window#resume_visual(before)
endfunction

" Visual and Select mode end when another window is entered; they go on as if nothing had been.
function! patchbay#window#resume_visual(before) abort
  if a:before =~# "^[vV\<C-v>]"
    normal! gv
  elseif a:before =~# "^[sS\<C-s>]"
    execute "normal! gv\<C-g>"
  endif
endfunction
