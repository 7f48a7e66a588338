#include "ray_server.c"
