" :Patchbay, the <Plug> maps, and what they lead to: functions of these scripts, or commands that lib/ has registered with coc.

" What may follow :Patchbay, each with what it runs: a function of these scripts, or a command of lib/.
let s:subs = {
      \ 'accept': {'call': 'patchbay#go#accept'},
      \ 'agents': {'command': 'agents'},
      \ 'all': {'words': {-> s:verdicts}, 'call': 'patchbay#command#all', 'rest': 1},
      \ 'answer': {'command': 'answer'},
      \ 'bringback': {'command': 'bringBack'},
      \ 'change': {'call': 'patchbay#turns#go', 'rest': 1, 'words': {-> ['next', 'previous']}},
      \ 'compare': {'call': 'patchbay#compare'},
      \ 'diagnose': {'command': 'health'},
      \ 'explain': {'command': 'explain', 'rest': 1},
      \ 'focus': {'call': 'patchbay#terminal#focus', 'rest': 1, 'words': function('patchbay#terminal#names')},
      \ 'health': {'command': 'health'},
      \ 'help': {'call': 'patchbay#command#help'},
      \ 'hold': {'call': 'patchbay#go#hold'},
      \ 'hook': {'words': {-> ['install', 'remove']}, 'call': 'patchbay#command#hook', 'rest': 1},
      \ 'hunk': {'words': {-> s:hunks}, 'call': 'patchbay#command#hunk', 'rest': 1},
      \ 'keep': {'call': 'patchbay#turns#keep', 'range': 1},
      \ 'layout': {'call': 'patchbay#unified#toggle'},
      \ 'log': {'call': 'patchbay#command#log'},
      \ 'next': {'call': 'patchbay#go#next'},
      \ 'open': {'command': 'openAgent', 'rest': 1, 'words': function('patchbay#terminal#names')},
      \ 'pause': {'command': 'toggleSharing', 'with': 'pause'},
      \ 'peek': {'call': 'patchbay#turns#show', 'range': 1},
      \ 'previous': {'call': 'patchbay#go#previous'},
      \ 'reject': {'call': 'patchbay#go#because', 'rest': 1},
      \ 'restart': {'command': 'restart'},
      \ 'resume': {'command': 'toggleSharing', 'with': 'resume'},
      \ 'review': {'command': 'reviews'},
      \ 'send': {'call': 'patchbay#command#send', 'range': 1, 'rest': 1, 'words': {-> ['problem']}},
      \ 'shared': {'command': 'showShared'},
      \ 'tmux': {'command': 'linkTmux'},
      \ 'toggle': {'call': 'patchbay#terminal#toggle', 'rest': 1, 'words': function('patchbay#terminal#names')},
      \ 'tour': {'command': 'tour'},
      \ 'turns': {'call': 'patchbay#turns#list'},
      \ 'undo': {'call': 'patchbay#turns#undo', 'range': 1, 'rest': 1, 'words': {-> ['now']}},
      \ }

let s:verdicts = ['accept', 'reject']
let s:hunks = ['accept', 'next', 'previous', 'reject', 'undo']

" The <Plug> maps by what they give to :Patchbay. Those of `s:anywhere` work in a terminal as well.
let s:plugs = {
      \ 'accept': 'accept', 'reject': 'reject', 'hold': 'hold', 'next': 'next', 'previous': 'previous', 'review': 'review', 'agents': 'agents',
      \ 'send': 'send', 'send-problem': 'send problem', 'answer': 'answer', 'pause': 'pause', 'resume': 'resume',
      \ 'hunk-accept': 'hunk accept', 'hunk-reject': 'hunk reject', 'hunk-undo': 'hunk undo', 'hunk-next': 'hunk next',
      \ 'hunk-previous': 'hunk previous', 'toggle': 'toggle', 'focus': 'focus', 'health': 'health', 'shared': 'shared', 'compare': 'compare', 'layout': 'layout',
      \ 'turns': 'turns', 'keep': 'keep', 'undo': 'undo', 'peek': 'peek', 'next-change': 'change next', 'previous-change': 'change previous',
      \ }
let s:anywhere = ['next', 'previous', 'review', 'agents', 'answer', 'toggle', 'focus', 'turns']
let s:ranged = ['send', 'keep', 'undo']

" Called once per start of coc.
function! patchbay#command#define() abort
  command! -nargs=* -range -complete=customlist,patchbay#command#complete Patchbay
        \ call patchbay#command#run(<q-args>, <range>, <line1>, <line2>)
  command! -nargs=* PatchbayReject call patchbay#go#because(<q-args>)
  for [name, words] in items(s:plugs)
    execute 'nnoremap <silent> <Plug>(patchbay-' . name . ') <Cmd>Patchbay' words . '<CR>'
    if index(s:anywhere, name) >= 0
      execute 'tnoremap <silent> <Plug>(patchbay-' . name . ') <Cmd>Patchbay' words . '<CR>'
    endif
  endfor
  for name in s:ranged
    execute 'xnoremap <silent> <Plug>(patchbay-' . name . ') :Patchbay' name . '<CR>'
  endfor
endfunction

" `range` is how many line numbers stood before the command.
function! patchbay#command#run(words, range, first, last) abort
  let [name, rest] = matchlist(a:words, '^\s*\(\S*\)\s*\(.\{-}\)\s*$')[1:2]
  let name = s:Name(name)
  let sub = get(s:subs, name, {})
  if empty(sub)
    call patchbay#say(patchbay#text('There is no :Patchbay {0}. Press <Tab> after :Patchbay for what there is.', name), 'WarningMsg')
  elseif a:range > 0 && !get(sub, 'range', 0)
    call patchbay#say(patchbay#text(':Patchbay {0} takes no range.', name), 'WarningMsg')
  elseif rest !=# '' && !get(sub, 'rest', 0)
    call patchbay#say(patchbay#text(':Patchbay {0} takes nothing after it.', name), 'WarningMsg')
  elseif has_key(sub, 'command')
    call patchbay#command#coc(sub.command, has_key(sub, 'with') ? [sub.with] : rest ==# '' ? [] : [rest])
  else
    let range = a:range > 0 ? [a:first, a:last] : []
    call call(sub.call, (get(sub, 'rest', 0) ? [rest] : []) + (get(sub, 'range', 0) ? [range] : []))
  endif
endfunction

" Without a name it is the list; a beginning stands for the one name that begins so.
function! s:Name(name) abort
  if a:name ==# '' || has_key(s:subs, a:name)
    return a:name ==# '' ? 'review' : a:name
  endif
  let found = s:Beginning(keys(s:subs), a:name)
  return len(found) == 1 ? found[0] : a:name
endfunction

function! s:Beginning(words, start) abort
  return sort(filter(copy(a:words), {_, word -> word[: strlen(a:start) - 1] ==# a:start || a:start ==# ''}))
endfunction

" For <Tab>.
function! patchbay#command#complete(start, line, at) abort
  let before = split(matchstr(strpart(a:line, 0, a:at - strlen(a:start)), '\<Patchbay\s\+\zs.*'))
  if empty(before)
    return s:Beginning(keys(s:subs), a:start)
  endif
  let sub = get(s:subs, s:Name(before[0]), {})
  return len(before) == 1 && has_key(sub, 'words') ? s:Beginning(sub.words(), a:start) : s:Third(before, a:start)
endfunction

function! s:Third(before, start) abort
  let name = len(a:before) == 2 ? s:Name(a:before[0]) : ''
  return name ==# 'hook' ? s:Beginning(['claude', 'gemini', 'qwen'], a:start)
        \ : name ==# 'all' ? s:Beginning(s:Folders(), a:start) : []
endfunction

" In which something waits.
function! s:Folders() abort
  try
    return CocAction('runCommand', 'patchbay.all')
  catch
    " coc is not running: there is nothing to complete.
    return []
  endtry
endfunction

" Runs a command of lib/; says so where there is nobody to run it.
function! patchbay#command#coc(name, args) abort
  if !coc#rpc#ready() || !get(g:, 'coc_service_initialized', 0)
    call patchbay#say(patchbay#text('coc is not running: :CocRestart starts it again.'), 'WarningMsg')
    return 0
  endif
  call call('CocActionAsync', ['runCommand', 'patchbay.' . a:name] + a:args)
  return 1
endfunction

function! patchbay#command#help() abort
  help coc-patchbay
endfunction

function! patchbay#command#log() abort
  CocOpenLog
endfunction

" `:Patchbay hook install [agent]`
function! patchbay#command#hook(words) abort
  let [what; agents] = split(a:words) + (a:words =~# '\S' ? [] : [''])
  let found = what ==# '' ? [] : s:Beginning(['install', 'remove'], what)
  if len(found) != 1
    call patchbay#say(patchbay#text('Say what to do with the hook: :Patchbay hook install, or :Patchbay hook remove.'), 'WarningMsg')
    return
  endif
  call patchbay#command#coc(found[0] . 'Hook', agents)
endfunction

" `:Patchbay all accept`, `:Patchbay all reject src/lib`
function! patchbay#command#all(words) abort
  let [what, folder] = matchlist(a:words, '^\(\S*\)\s*\(.*\)$')[1:2]
  let found = what ==# '' ? [] : s:Beginning(s:verdicts, what)
  if len(found) == 1
    let place = folder =~# '^[%#<~]' ? expand(folder) : folder
    " As it was written, from the workspace's folder, else from that of the window.
    call patchbay#command#coc('all', [found[0]] + (place ==# '' ? [] : [place, fnamemodify(place, ':p')]))
  else
    call patchbay#say(patchbay#text('Say what to do with all: :Patchbay all accept, or :Patchbay all reject, and a folder if not everywhere.'), 'WarningMsg')
  endif
endfunction

" `:Patchbay hunk accept`
function! patchbay#command#hunk(what) abort
  let found = a:what ==# '' ? [] : s:Beginning(s:hunks, a:what)
  if len(found) == 1
    call call('patchbay#hunk#' . found[0], [])
  else
    call patchbay#say(patchbay#text('Say what to do with the hunk: {0}.', join(s:hunks, ', ')), 'WarningMsg')
  endif
endfunction

" `:Patchbay send`, `:3,7Patchbay send`, `:Patchbay send problem`
function! patchbay#command#send(what, range) abort
  if a:what !=# '' && a:what !=# 'problem'
    call patchbay#say(patchbay#text(':Patchbay send takes a range or the word {0}.', 'problem'), 'WarningMsg')
  else
    call patchbay#command#coc(a:what ==# '' ? 'mention' : 'sendProblem', a:what ==# '' ? a:range : [])
  endif
endfunction

" What the <Plug> maps and the words after :Patchbay are called, for the help's test and for g?.
function! patchbay#command#names() abort
  return {'subs': sort(keys(s:subs)), 'plugs': sort(keys(s:plugs))}
endfunction
