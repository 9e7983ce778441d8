" The terminals in which agents run in this editor: opened, hidden and gone to by the agent's name.

" How the last one's window was made, for showing it again.
let s:where = 'botright vertical new'

" Opens an agent in the editor's own terminal. `where` is a window command such as 'botright vertical new'.
function! patchbay#terminal#open(name, command, where, cwd, environment) abort
  let s:where = a:where
  execute a:where
  if has('nvim')
    setlocal nobuflisted
    call termopen(a:command, {'cwd': a:cwd, 'env': a:environment})
  else
    let options = {'curwin': 1, 'term_finish': 'open', 'cwd': a:cwd, 'env': a:environment, 'term_name': 'agent: ' . a:name}
    call term_start(a:command, options)
  endif
  let b:patchbay_agent = a:name
  let b:patchbay_opened = reltimefloat(reltime())
  if has('nvim')
    startinsert
  endif
  return bufnr('%')
endfunction

" Goes to an agent's terminal, to the newest one without a name; opens the agent where there is none.
function! patchbay#terminal#focus(name) abort
  let number = s:Find(a:name)
  if number == 0
    call s:Open(a:name)
    return
  endif
  let here = bufwinid(number)
  if here > 0
    call win_gotoid(here)
  elseif !empty(win_findbuf(number))
    call win_gotoid(win_findbuf(number)[0])
  else
    call s:Show(number)
  endif
  call s:Type(number)
endfunction

" Hides it where this tab page shows it, and shows it where not. What runs in it goes on.
function! patchbay#terminal#toggle(name) abort
  let number = s:Find(a:name)
  if number == 0
    call s:Open(a:name)
    return
  endif
  let windows = filter(win_findbuf(number), 'win_id2win(v:val) > 0')
  if empty(windows)
    call s:Show(number)
    call s:Type(number)
    return
  endif
  if winnr('$') == 1
    call patchbay#say(patchbay#text('This is the only window of its tab page.'), 'WarningMsg')
    return
  endif
  let back = get(b:, 'patchbay_back', 0)
  for window in windows
    if winnr('$') > 1
      execute win_id2win(window) . 'hide'
    endif
  endfor
  if back > 0 && win_id2win(back) > 0
    call win_gotoid(back)
  endif
endfunction

function! s:Open(name) abort
  call patchbay#command#coc('openAgent', a:name ==# '' ? [] : [a:name])
endfunction

function! s:Show(number) abort
  let back = win_getid()
  execute s:where
  " The empty buffer of that window is of no use.
  setlocal bufhidden=wipe
  execute 'buffer' a:number
  let b:patchbay_back = back
endfunction

" Keys go to the program in it.
function! s:Type(number) abort
  if bufnr('%') != a:number
    return
  elseif has('nvim')
    startinsert
  elseif mode() !=# 't'
    call feedkeys('i', 'nt')
  endif
endfunction

" The newest terminal in which that agent runs, or any.
function! s:Find(name) abort
  let [best, number] = [-1.0, 0]
  for info in getbufinfo()
    let agent = getbufvar(info.bufnr, 'patchbay_agent', '')
    let opened = getbufvar(info.bufnr, 'patchbay_opened', 0.0)
    if agent !=# '' && (a:name ==# '' || agent ==# a:name) && opened > best && s:Runs(info.bufnr)
      let [best, number] = [opened, info.bufnr]
    endif
  endfor
  return number
endfunction

function! s:Runs(number) abort
  if has('nvim')
    return jobwait([getbufvar(a:number, 'terminal_job_id')], 0)[0] == -1
  endif
  return term_getstatus(a:number) =~# 'running'
endfunction

" Agents that can be opened, for <Tab>.
function! patchbay#terminal#names() abort
  let names = ['claude', 'gemini', 'qwen']
  try
    let names += keys(coc#util#get_config('patchbay').agents)
  catch
    " coc is not there to be asked.
  endtry
  return uniq(sort(names))
endfunction
