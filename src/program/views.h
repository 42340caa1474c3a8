// Views and words of a program: from text, as text, and where they are in memory.
#pragma once

#include <cstdint>
#include <string>

#include "program/references.h"
#include "program/scope.h"

namespace t3sim::program {

// What a text is evaluated against: the declarations so far, and the GPU whose commands are read.
struct Context {
  Program& program;
  Scope& scope;
  std::uint32_t gpu = 0;
};

// The number of a GPU. Throws InputError.
std::uint32_t evaluate_gpu(const Scope& scope, const Piece& piece, std::uint32_t gpus);
// Throws InputError for unknown names, GPUs that do not have the array and bounds.
View evaluate_view(const Context& context, const Piece& text);
// The same, where it may have no rows or columns at all.
View evaluate_view_or_none(const Context& context, const Piece& text);
// The rows and columns of `part`, within an array; `none`: they may be no rows or columns at all.
View evaluate_part(const Context& context, std::uint32_t array, const ViewText& part, bool none);

// `here@p[t]`: without an operator. Throws InputError.
SignalWord evaluate_word(const Context& context, const WordText& text);
// `here[t] >= 2`, of the own GPU; without an operator: >= 1.
SignalWait evaluate_wait(const Context& context, const Piece& text);
// `here@p[t] = 2` or `+= 1`; without an operator: = 1. Or {word: the same, fence: false}, {..., fence: store}.
SignalSet evaluate_set(const Context& context, const config::Node& node);

// "a@1[rows 0:128]": what is said of a view on GPU `own`; what it has all of is left out.
std::string to_text(const Program& program, const View& view, std::uint32_t own);
std::string to_text(const Program& program, const SignalWord& word, std::uint32_t own);
std::string to_text(const Program& program, const SignalWait& wait, std::uint32_t own);
std::string to_text(const Program& program, const SignalSet& set, std::uint32_t own);

// Of the first element; of an element of an array.
std::uint64_t address_of(const Program& program, const View& view);
std::uint64_t address_of(const Array& array, std::uint32_t copy, std::uint64_t row, std::uint64_t column);
std::uint64_t bytes_of(const Program& program, const View& view);

std::vector<std::string> names_of(const std::vector<Array>& arrays);
std::vector<std::string> names_of(const std::vector<Signals>& signals);

}  // namespace t3sim::program
