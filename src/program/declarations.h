// Arrays, signals and streams of a program.
#pragma once

#include <string>
#include <vector>

#include "program/loops.h"
#include "program/text.h"
#include "program/views.h"

namespace t3sim::program {

// Arrays and signals without addresses, contents and initial values. `scope` has the names that are the same on
// all GPUs. Throws InputError.
void declare_arrays(const ProgramText& text, const Scope& scope, Program& program);
void declare_signals(const ProgramText& text, const Scope& scope, Program& program);

// What GPU `context.gpu` has in its arrays and signals before.
void evaluate_given(const ProgramText& text, const Context& context);
void evaluate_initial(const ProgramText& text, const Context& context);
// Arrays that no command writes have values before, others nothing, where the text does not say.
void infer_contents(const ProgramText& text, Program& program);

// Puts everything one behind the other in memory, each on a 2 MiB page, signals behind arrays.
void place(Program& program);

// The names of streams that a text such as "main" or "peer[d in 1 .. gpus - 1]" declares; f(name) for each, with
// `d` in the scope meanwhile.
void each_stream(const Piece& declaration, Scope& scope, const config::Location& where,
                 const std::function<void(const std::string& name)>& f);

}  // namespace t3sim::program
