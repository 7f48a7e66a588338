/* The CUDA program. */
#define WL_CONTACTS_PROGRAM
#include "workloads/collide/contacts.h"
