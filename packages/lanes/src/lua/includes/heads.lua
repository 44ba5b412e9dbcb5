--[[
  Whose turn is next, read once for all runs of a call.

  Every admission takes the account with the smallest tag and gives it a larger one: two commands each. Here the
  smallest tags of a queue of one group come in one read, one for each run, and the new ones are put off.
]]
-- own.listed: account, tag, account, ... as Redis gave them, nil where they have to be read (again). `at` is the next
-- of them; accounts, tags: those that were served since, by their new tags, `from` being the next.
local heads = { at = 1, whole = false, accounts = {}, tags = {}, from = 1 }
own.runs = 1

-- The account with the smallest tag, and that tag; nil when it takes a look at Redis to know.
local function next_account()
  if not own.listed then
    own.write_back()
    own.listed = call('ZRANGE', own.ready, '0', own.runs - 1, 'WITHSCORES')
    if own.lim then
      gated().foresee(own.g, own.listed)
    end
    heads = { at = 1, whole = #own.listed < 2 * own.runs, accounts = {}, tags = {}, from = 1 }
  end
  local account, tag = own.listed[heads.at], tonumber(own.listed[heads.at + 1])
  local served = heads.tags[heads.from]
  if served and (tag and served < tag or not tag and heads.whole) then
    heads.from = heads.from + 1
    return heads.accounts[heads.from - 1], served
  end
  heads.at = heads.at + 2
  return account, tag
end

-- The account has been served and gets this tag. It is nearly always the largest so far.
local function move_tag(account, tag)
  local at = #heads.tags
  while at >= heads.from and heads.tags[at] > tag do
    heads.tags[at + 1], heads.accounts[at + 1] = heads.tags[at], heads.accounts[at]
    at = at - 1
  end
  heads.tags[at + 1], heads.accounts[at + 1] = tag, account
  own.put_off('ZADD', own.ready, tag % 1 == 0 and string.format('%d', tag) or tag, account)
end
