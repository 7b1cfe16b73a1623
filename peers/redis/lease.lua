-- Tokens on lease from a fixed window, aligned to the epoch, as one atomic
-- script, in integers. Its state is that of fixed_window.lua.
--
-- KEYS[1]  the key's state: "k count", the number of the window and what was
--          granted in it
-- ARGV     limit; window in microseconds; need, what the server lacks; batch
-- returns  granted, 0 if less is left than the server needs; k, the window that
--          it is granted from: until its end it holds
local limit, window, need, batch = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
if not (limit and window and need and batch and window >= 1 and need >= 1 and batch >= 1) then
  return redis.error_reply("lease: window, need and batch must be at least 1")
end
local time = redis.call("TIME")
local now = time[1] * 1000000 + time[2]
local k = (now - now % window) / window
local count = 0
local state = redis.call("GET", KEYS[1])
if state then
  local last, counted = state:match("^(%d+) (%d+)$")
  if tonumber(last) >= k then
    k, count = tonumber(last), tonumber(counted)
  end
end

local left = limit - count
if left < need then
  return {0, k}
end
local granted = math.max(need, math.min(batch, left))
local reset = (k + 1) * window - now
redis.call("SET", KEYS[1], string.format("%.0f %.0f", k, count + granted), "PX", string.format("%.0f", math.ceil(reset / 1000)))
return {granted, k}
