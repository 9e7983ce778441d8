" Long texts come from lib/ in parts: Vim's channel reads a message again from its beginning with every piece that comes, and
" throws away one that is not complete within a tenth of a second (channel_parse_json()); a text of a megabyte would be lost,
" and with it all that lib/ waits for.

let s:parts = {}

" Takes a part. With `continued` its first line goes on where the last one of the part before ended.
function! patchbay#parts#add(key, lines, continued) abort
  let known = get(s:parts, a:key, [])
  if a:continued && !empty(known)
    let known[-1] .= a:lines[0]
    call extend(known, a:lines[1:])
  else
    call extend(known, a:lines)
  endif
  let s:parts[a:key] = known
  return len(known)
endfunction

" What has been told so far is no longer needed, or never was: a start of coc begins anew.
function! patchbay#parts#clear(key) abort
  if has_key(s:parts, a:key)
    call remove(s:parts, a:key)
  endif
endfunction

" The lines of a text: those that came with it, else those that came in parts before.
function! patchbay#parts#lines(text) abort
  return has_key(a:text, 'parts') ? get(s:parts, a:text.parts, []) : a:text.lines
endfunction
