/* The CUDA program. */
#define COLLIDE_I_CONTACTS_PROGRAM
#include "collide/pairs/contacts.h"
