" Hooks of agents: what would change in their settings, and the terminals in which they run.

" Shows two texts in diff mode, in a tab page of their own; the user asked for it.
function! patchbay#hooks#show(name, before, after) abort
  call patchbay#hooks#hide()
  let s:back = win_getid()
  tabnew
  let s:tab = [win_getid()]
  call s:Fill(patchbay#text('{0} after', a:name), a:after)
  leftabove vnew
  call add(s:tab, win_getid())
  call s:Fill(patchbay#text('{0} now', a:name), a:before)
  redraw
endfunction

function! s:Fill(name, lines) abort
  let b:coc_enabled = 0
  setlocal buftype=nofile bufhidden=wipe noswapfile nobuflisted
  execute 'silent keepalt file' fnameescape('[' . a:name . ']')
  setlocal filetype=patchbay
  call setline(1, a:lines)
  setlocal nomodifiable nomodified
  diffthis
endfunction

" Takes both away again, and gives the cursor back.
function! patchbay#hooks#hide() abort
  for window in get(s:, 'tab', [])
    if !empty(getwininfo(window))
      call win_execute(window, 'close')
    endif
  endfor
  let s:tab = []
  call win_gotoid(get(s:, 'back', 0))
  redraw
endfunction

" Goes to the terminal in which one of these processes is the shell; says whether there is one.
function! patchbay#hooks#terminal(pids) abort
  let buffer = s:TerminalOf(a:pids)
  if buffer == 0
    return 0
  endif
  let windows = win_findbuf(buffer)
  if empty(windows)
    execute 'botright vertical sbuffer' buffer
  else
    call win_gotoid(windows[0])
  endif
  return 1
endfunction

" Says whether the user has such a terminal before them, in this tab page.
function! patchbay#hooks#seen(pids) abort
  let buffer = s:TerminalOf(a:pids)
  return buffer > 0 && bufwinnr(buffer) > 0
endfunction

" Types into that terminal; says whether there is one. The text is what a terminal makes of a paste, without an Enter.
function! patchbay#hooks#paste(pids, text) abort
  let buffer = s:TerminalOf(a:pids)
  if buffer == 0
    return 0
  endif
  if has('nvim')
    call chansend(getbufvar(buffer, 'terminal_job_id'), a:text)
  else
    call term_sendkeys(buffer, a:text)
  endif
  return 1
endfunction

function! s:TerminalOf(pids) abort
  for info in getbufinfo()
    if getbufvar(info.bufnr, '&buftype') ==# 'terminal' && index(a:pids, s:Process(info.bufnr)) >= 0
      return info.bufnr
    endif
  endfor
  return 0
endfunction

function! s:Process(buffer) abort
  if has('nvim')
    return getbufvar(a:buffer, 'terminal_job_pid', -1)
  endif
  return job_info(term_getjob(a:buffer)).process
endfunction
