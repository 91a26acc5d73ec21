#define _GNU_SOURCE
#include "CProcess.h"

int close_others_in_child(posix_spawn_file_actions_t *actions) { return posix_spawn_file_actions_addclosefrom_np(actions, 3); }
