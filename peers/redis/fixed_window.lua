-- A fixed window, aligned to the epoch, as one atomic script, in integers.
--
-- KEYS[1]  the key's state: "k count", the number of the window and what was
--          admitted in it
-- ARGV     limit; window in microseconds; cost
-- returns  admitted (1 or 0), limit, remaining, retry_after, reset: the last two
--          in microseconds; retry_after is -1 for a cost above the limit and 0
--          if admitted
--
-- Time is the server's own, in microseconds; Lua's doubles are exact up to
-- 2^53. The count and its time to live are set at once, so that no key lives
-- for ever. If the server's clock goes back across an edge, the later window
-- still counts.
local limit, window, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if not (limit and window and cost and window >= 1 and cost >= 1) then
  return redis.error_reply("fixed window: window and cost must be at least 1")
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

local reset = (k + 1) * window - now
local admitted = count + cost <= limit
if admitted then
  count = count + cost
  -- In whole milliseconds, rounded up: the key must live to the window's end.
  redis.call("SET", KEYS[1], string.format("%.0f %.0f", k, count), "PX", string.format("%.0f", math.ceil(reset / 1000)))
end

local retry = 0
if cost > limit then
  retry = -1
elseif not admitted then
  retry = reset
end
return {admitted and 1 or 0, limit, limit - count, retry, reset}
