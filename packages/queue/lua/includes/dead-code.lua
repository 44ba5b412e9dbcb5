-- Of a job that no worker of ours has ended.
local NO_RECORD = 'unreadable'

local function lastRecord(text)
  local isJson, records = pcall(cjson.decode, text)
  return isJson, type(records) == 'table' and records[#records]
end

--[[
  Code of the last error in `flErrors`. Half a character, as a cut text may end with, is JSON to whoever wrote it and
  none to cjson: then escapes are dropped, which no code has.
]]
local function deadCode(text)
  if not text then
    return NO_RECORD
  end
  local isJson, record = lastRecord(text)
  if not isJson then
    local plain = text:gsub('\\\\', ''):gsub('\\u%x%x%x%x', '')
    isJson, record = lastRecord(plain)
  end
  return isJson and type(record) == 'table' and type(record.code) == 'string' and record.code or NO_RECORD
end
