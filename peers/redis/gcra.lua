-- The generic cell rate algorithm as one atomic script, in integers.
--
-- KEYS[1]  the key's state: "a b", its theoretical arrival time TAT = a + b/N
-- ARGV     N, P: N units in P microseconds; burst; cost
-- returns  admitted (1 or 0), limit, remaining, retry_after, reset: the last two
--          in microseconds, rounded up; retry_after is -1 for a cost above the
--          burst and 0 if admitted
--
-- Time is the server's own, in microseconds. Everything is counted in N-ths of
-- a microsecond, so that the emission interval is P, a whole number, and
-- nothing is ever rounded but what is reported. Lua counts in doubles: the
-- numbers stay exact below 2^53, which 2 * burst * P must not reach.
-- If the server's clock goes back, TAT stays: more is refused for a while, and
-- nothing is earned twice.
local n, p, burst, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
if not (n and p and burst and cost and n >= 1 and p >= 1 and cost >= 1) or 2 * burst * p + n >= 2 ^ 53 then
  return redis.error_reply("gcra: N, P and cost must be at least 1 and 2 * burst * P below 2^53")
end
local time = redis.call("TIME")
local now = time[1] * 1000000 + time[2]

-- How far TAT lies ahead of now.
local ahead = 0
local state = redis.call("GET", KEYS[1])
if state then
  local a, b = state:match("^(%d+) (%d+)$")
  ahead = math.max(0, (a - now) * n + b)
end

-- How much too early the request is; a cost above the burst always is.
local late = ahead + math.min(cost, burst + 1) * p - burst * p
local admitted = late <= 0
if admitted then
  ahead = ahead + cost * p
  local fraction = ahead % n
  -- In whole milliseconds, rounded up: a key that dies before its TAT would
  -- be forgotten with its debt.
  local ttl = math.ceil(math.ceil(ahead / n) / 1000)
  redis.call("SET", KEYS[1], string.format("%.0f %.0f", now + (ahead - fraction) / n, fraction), "PX", string.format("%.0f", ttl))
end

local retry = 0
if cost > burst then
  retry = -1
elseif not admitted then
  retry = math.ceil(late / n)
end
return {admitted and 1 or 0, burst, math.max(0, math.floor((burst * p - ahead) / p)), retry, math.ceil(ahead / n)}
