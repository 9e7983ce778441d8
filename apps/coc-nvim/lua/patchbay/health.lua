-- :checkhealth patchbay. What is right and wrong is found by lib/, as for :Patchbay health; this shows it in Neovim's own page.

-- Neovim 0.8 and 0.9 have other names for them.
local function reporter(name)
  return vim.health[name] or vim.health["report_" .. name] or require("health")["report_" .. name]
end

local report = { ok = reporter("ok"), hint = reporter("warn"), problem = reporter("error") }

-- In the user's language, where a start of coc has told it.
local text = vim.fn["patchbay#text"]

local function isRunning()
  local found, ready = pcall(vim.fn["coc#rpc#ready"])
  return found and ready == 1 and vim.g.coc_service_initialized == 1
end

local function check()
  reporter("start")("patchbay")
  if not isRunning() then
    report.problem(text("coc.nvim is not running."), { text("Open a file or use :CocStart."), text(":checkhealth coc has more.") })
    return
  end
  local found, lines = pcall(vim.fn.CocAction, "runCommand", "patchbay.health", "lines")
  if not found or type(lines) ~= "table" then
    report.problem(text("coc-patchbay is not running."), { text(":CocList extensions shows whether it is active."), ":CocOpenLog" })
    return
  end
  for _, line in ipairs(lines) do
    local advice = line.code and { ":Patchbay explain " .. line.code }
    ;(report[line.level] or report.hint)(line.text, advice)
  end
end

return { check = check }
