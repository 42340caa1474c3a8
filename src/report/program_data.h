// What the page of a program's run is drawn from: the numbers of its files as they stand there, nothing added.
#pragma once

#include <nlohmann/json.hpp>

#include "report/result_files.h"

namespace t3sim::report {

// {"kind": "program", "results": results.json, "config": {key: text}, "commands": commands.csv by columns, texts by their
// place in "texts", "config_text", "about": from manifest.json}. Throws InputError where a file is not what t3sim writes.
nlohmann::ordered_json program_data(const ResultFiles& files);

}  // namespace t3sim::report
