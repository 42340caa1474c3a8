#include "app/cli.h"

int main(int argc, char** argv) { return t3sim::run_cli(argc, argv); }
