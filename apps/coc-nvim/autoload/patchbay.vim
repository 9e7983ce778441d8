" The side of coc-patchbay that lives in Vim and Neovim: what must be evaluated, built or decided there. Everything else is
" in lib/, which calls these functions. This script outlives a :CocRestart, so what it holds is handed to the next start.

" Facts of this editor that lib/ cannot find out by itself. Called once per start of coc.
function! patchbay#start() abort
  call patchbay#track#listen()
  call patchbay#command#define()
  " The next one may speak another language.
  let s:texts = {}
  " What the last one said of connected agents is over.
  call patchbay#set_status('')
  return {
        \ 'pid': getpid(),
        \ 'nvim': has('nvim'),
        \ 'version': s:version(),
        \ 'temporary': $TMPDIR,
        \ 'tmux': $TMUX,
        \ 'cwd': patchbay#directory(),
        \ 'buffers': patchbay#track#buffers(),
        \ 'cursor': patchbay#track#cursor(),
        \ 'current': patchbay#track#buffer(bufnr('%')),
        \ 'reviews': patchbay#review#leftovers(),
        \ }
endfunction

" English texts with those of the user's language, as far as lib/ has told them.
let s:texts = {}

function! patchbay#speak(texts) abort
  call extend(s:texts, a:texts)
endfunction

" A text in the user's language, with its values in the places {0}, {1} and so on.
function! patchbay#text(text, ...) abort
  return substitute(get(s:texts, a:text, a:text), '{\(\d\)}', '\=get(a:000, submatch(1), submatch(0))', 'g')
endfunction

" The working directory of the editor as a whole: one of a window or tab page alone is no workspace.
function! patchbay#directory() abort
  return has('nvim') ? getcwd(-1, -1) : getcwd(-1)
endfunction

function! s:version() abort
  if has('nvim')
    return matchstr(execute('version'), 'NVIM v\zs[0-9.]\+')
  endif
  return printf('%d.%d.%d', v:version / 100, v:version % 100, v:versionlong % 10000)
endfunction

" Tells lib/ that something happened. Says whether there was anybody to tell.
function! patchbay#tell(kind, ...) abort
  if !coc#rpc#ready() || !get(g:, 'coc_service_initialized', 0)
    return 0
  endif
  call call('CocActionAsync', ['runCommand', 'patchbay.event', a:kind] + a:000)
  return 1
endfunction

" Puts variables into the environment of terminals opened from now on, and takes others away.
function! patchbay#environment(variables, gone) abort
  for [name, value] in items(a:variables)
    call setenv(name, value)
  endfor
  for name in a:gone
    call setenv(name, v:null)
  endfor
endfunction

" For 'statusline': what Patchbay is doing, in a few words; empty while nothing is to be said.
function! patchbay#status() abort
  return get(g:, 'patchbay_status', '')
endfunction

function! patchbay#set_status(text) abort
  let g:patchbay_status = a:text
  redrawstatus!
endfunction

" Runs a User autocommand; what it is about stands in g:patchbay_event.
function! patchbay#announce(name, facts) abort
  let g:patchbay_event = extend({'name': a:name}, a:facts)
  if exists('#User#' . a:name)
    execute 'doautocmd <nomodeline> User' a:name
  elseif exists('#User')
    " Perhaps one with a pattern such as Patchbay*; where none matches Vim would say so.
    execute 'silent doautocmd <nomodeline> User' a:name
  endif
endfunction

" Says one line, in as much room as there is, where that cannot make Vim ask for Enter; says whether it did. With a third argument
" that is not 0 it is a hint, which :messages does not keep.
function! patchbay#say(text, highlight, ...) abort
  if mode(1) !~# '^n' || getcmdwintype() !=# '' || mode(1) =~# '^no'
    return 0
  endif
  let room = exists('v:echospace') ? v:echospace : &columns - 15
  " Whatever a name or another program's message holds is shown as text.
  let line = strtrans(a:text)
  if strdisplaywidth(line) > room
    let line = matchstr(line, '^.*\%<' . max([room - 1, 2]) . 'v') . '…'
  endif
  execute 'echohl' a:highlight
  execute get(a:000, 0, 0) ? 'echo' : 'echomsg' 'line'
  echohl None
  return 1
endfunction

" Takes one of our notices away, which coc would leave where it is until somebody clicks.
function! patchbay#close_notice(lines) abort
  if !exists('*coc#notify#win_list')
    return
  endif
  for window in coc#notify#win_list()
    let key = getwinvar(window, 'key', '')
    if type(key) == v:t_string && key[0] ==# '{' && get(json_decode(key), 'lines', []) ==# a:lines
      call coc#notify#close(window)
    endif
  endfor
endfunction

" Whether Vim lets nobody open or change windows just now: in a command line, at a prompt, and in a popup window, such as that of a
" terminal in Vim. A floating window of Neovim is a window like others.
function! patchbay#busy() abort
  return getcmdwintype() !=# '' || mode() =~# '^[cr!]' || (!has('nvim') && win_gettype() ==# 'popup')
endfunction

" Opens a file for an agent that asked to show it. Without focus the cursor stays where it is.
function! patchbay#show(path, line, column, focus) abort
  if patchbay#busy()
    return 0
  endif
  let back = win_getid()
  let target = 0
  let found = []
  for info in getbufinfo({'bufloaded': 1})
    if info.name ==# a:path
      let found = win_findbuf(info.bufnr)
    endif
  endfor
  if !empty(found)
    let target = found[0]
  else
    " Never in the window the user is in, unless it is for him to go there.
    for info in getwininfo()
      if info.tabnr == tabpagenr() && (a:focus || info.winid != back) && getbufvar(info.bufnr, '&buftype') ==# '' && !getwinvar(info.winid, '&previewwindow')
            \ && !getwinvar(info.winid, '&diff') && (!getbufvar(info.bufnr, '&modified') || &hidden)
        let target = info.winid
        break
      endif
    endfor
  endif
  if target == 0
    execute 'silent keepalt topleft split' fnameescape(a:path)
    let target = win_getid()
  elseif empty(found)
    call win_execute(target, 'silent edit ' . fnameescape(a:path))
  endif
  if a:line > 0
    call win_execute(target, 'call cursor(' . a:line . ',' . a:column . ') | normal! zvzz')
  endif
  call win_gotoid(a:focus ? target : back)
  redraw
  return 1
endfunction

" Saves a buffer as :write in its window would. Says whether it holds no unsaved changes afterwards.
function! patchbay#save(number) abort
  if !bufloaded(a:number)
    return 0
  endif
  if getbufvar(a:number, '&modified')
    let windows = win_findbuf(a:number)
    if empty(windows)
      return 0
    endif
    call win_execute(windows[0], 'silent! update')
  endif
  return !getbufvar(a:number, '&modified')
endfunction

" Takes over a text of the user's that no agent takes any more, to be put somewhere with p.
function! patchbay#yank(text) abort
  call setreg(v:register, patchbay#parts#lines(a:text), 'V')
  call patchbay#parts#clear('yank')
endfunction

" Shows lines in a scratch window, the same one for the same title; the user asked for it.
function! patchbay#page(title, lines) abort
  let name = '[' . a:title . ']'
  let shown = filter(getwininfo(), {_, info -> bufname(info.bufnr) ==# name})
  if empty(shown)
    let back = win_getid()
    keepalt botright new
    let b:coc_enabled = 0
    let b:patchbay_back = back
    setlocal buftype=nofile bufhidden=wipe noswapfile nobuflisted wrap linebreak breakindent breakindentopt=shift:9
    execute 'silent keepalt file' fnameescape(name)
    setlocal filetype=patchbay
    for [group, word] in [['DiffAdded', patchbay#text('OK')], ['WarningMsg', patchbay#text('NOTE')], ['ErrorMsg', patchbay#text('PROBLEM')]]
      execute 'syntax match' group '/^\V' . escape(word, '/\') . '\ze\s/'
    endfor
    nnoremap <buffer> <silent> <nowait> q <Cmd>call patchbay#leave()<CR>
    nnoremap <buffer> <silent> <nowait> K <Cmd>call patchbay#explain()<CR>
  else
    call win_gotoid(shown[0].winid)
  endif
  setlocal modifiable
  silent keepjumps %delete _
  call setline(1, a:lines)
  setlocal nomodifiable nomodified
  let width = max([1, winwidth(0)])
  let height = 0
  for line in a:lines
    let height += 1 + max([0, strdisplaywidth(line) - 1]) / width
  endfor
  execute 'resize' min([height + 1, &lines / 2])
  call cursor(1, 1)
endfunction

" What the finding means whose name stands at the end of the line.
function! patchbay#explain() abort
  let name = matchstr(getline('.'), '\[\zs[a-z-]\+\ze\]$')
  if name ==# ''
    call patchbay#say(patchbay#text('This line names nothing that could be explained.'), 'WarningMsg')
  else
    call patchbay#command#coc('explain', [name])
  endif
endfunction

" Closes such a window; the cursor goes back to where it was.
function! patchbay#leave() abort
  let back = get(b:, 'patchbay_back', 0)
  close
  call win_gotoid(back)
endfunction

" The buffer with its unsaved text and the file as it is on the disk, side by side in a tab page.
function! patchbay#compare() abort
  let path = expand('%:p')
  if &buftype !=# '' || !filereadable(path)
    call patchbay#say(patchbay#text('This window does not show a file on disk.'), 'WarningMsg')
    return
  endif
  tab split
  diffthis
  keepalt vnew
  let b:coc_enabled = 0
  setlocal buftype=nofile bufhidden=wipe noswapfile nobuflisted
  execute 'silent keepalt file' fnameescape('patchbay://disk/' . fnamemodify(path, ':t'))
  execute 'silent keepalt 0read ++edit' fnameescape(path)
  silent keepjumps $delete _
  setlocal nomodifiable readonly
  diffthis
  wincmd p
endfunction
