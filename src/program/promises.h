// What a program promises, from text: "a times b", "sum over p of a@p times b@p", "gathered a".
#pragma once

#include "program/text.h"
#include "program/views.h"

namespace t3sim::program {

// Adds the parts of the context's GPU to the program's promises. Throws InputError.
//
//   formula  sum over NAME of formula      NAME is 0 to gpus - 1, or "in FIRST .. LAST"
//            stack over NAME of formula    one below the other
//            product { plus product }
//   product  operand { times operand }     matrices
//   operand  VIEW | gathered VIEW | (formula)
void add_promises(const ProgramText& text, const Context& context);

}  // namespace t3sim::program
