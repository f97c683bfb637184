-- A script for wrk: uploads the files of a folder in turn, and checks every answer.
--
--     wrk -s put.lua URL -- FOLDER
--
-- FOLDER/requests has two lines for each file: its name, its path in the URL, its MD5 or `none`,
-- the answer's body or `any`, and headers as NAME=VALUE; then the header `authorization`, which may
-- be empty.

local threads = {}

function setup(thread)
    table.insert(threads, thread)
end

function init(args)
    requests, known, turn, answers, wrong = {}, {}, 0, 0, 0
    local next_line = io.lines(args[1] .. "/requests")
    for line in next_line do
        local name, path, md5, answer, pairs_of = line:match("(%S+) (%S+) (%S+) (%S+)(.*)")
        local authorization, headers = next_line(), {}
        if authorization ~= "" then
            headers.authorization = authorization
        end
        for key, value in pairs_of:gmatch("(%S-)=(%S+)") do
            -- wrk would add a second one.
            headers[key == "host" and "Host" or key] = value
        end
        local file = assert(io.open(args[1] .. "/" .. name, "rb"))
        table.insert(requests, wrk.format("PUT", path, headers, file:read("*a")))
        file:close()
        known['"' .. md5 .. '"'] = answer
        unhashed = md5 == "none"
    end
end

function request()
    turn = turn % #requests + 1
    return requests[turn]
end

-- wrk does not report which request was answered, so the answer may be that of any file.
function response(status, headers, body)
    answers = answers + 1
    local answer = known[headers["etag"] or headers["Etag"] or headers["ETag"] or ""]
    local right = unhashed or answer == "any" or answer and answer .. "\n" == body
    if status ~= 200 or not right then
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
