#include "first_program.h"
