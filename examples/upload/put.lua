-- A script for wrk: uploads the files of a folder in turn, and checks every answer.
--
--     wrk -s put.lua URL -- FOLDER [unhashed]
--
-- FOLDER/digests has a line for each file: its name, its MD5 and its SHA-256.

local threads = {}

function setup(thread)
    table.insert(threads, thread)
end

function init(args)
    requests, sha256_of, turn, answers, wrong = {}, {}, 0, 0, 0
    hashed = args[2] ~= "unhashed"
    for line in io.lines(args[1] .. "/digests") do
        local name, md5, sha256 = line:match("(%S+) (%S+) (%S+)")
        local file = assert(io.open(args[1] .. "/" .. name, "rb"))
        local body = file:read("*a")
        file:close()
        table.insert(requests, wrk.format("PUT", "/" .. name, nil, body))
        sha256_of['"' .. md5 .. '"'] = sha256 .. "\n"
    end
end

function request()
    turn = turn % #requests + 1
    return requests[turn]
end

-- wrk does not report which request was answered, but both digests must belong to the same body.
function response(status, headers, body)
    answers = answers + 1
    if status ~= 200 or (hashed and sha256_of[headers["etag"] or ""] ~= body) then
        wrong = wrong + 1
    end
end

function done(summary, latency)
    local answers, wrong = 0, 0
    for _, thread in ipairs(threads) do
        answers = answers + thread:get("answers")
        wrong = wrong + thread:get("wrong")
    end
    local errors = summary.errors
    local failed = errors.connect + errors.read + errors.write + errors.timeout
    io.write(string.format("answers %d\nwrong %d\nerrors %d\n", answers, wrong, failed))
    local p50, p99 = latency:percentile(50) / 1000, latency:percentile(99) / 1000
    io.write(string.format("p50_ms %.3f\np99_ms %.3f\n", p50, p99))
end
