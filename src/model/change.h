/* What change.c and change_costs.c, the two halves of every change of a scenario, have of each
 * other. */
#ifndef MODEL_CHANGE_H
#define MODEL_CHANGE_H

#include "model/state.h"

/* Refuses, gives up the state that was to come; false. */
bool change_fail(struct session *session, struct state *next, const struct refusal *refusal);

/* A step key of forward, backward or weight: up with sign 1, down with -1. */
void change_cost(struct session *session, enum param param, int sign);
bool change_transfer(struct session *session, double transfer);
void change_transfer_step(struct session *session, bool is_more);
void change_hold(struct session *session);
/* Opens the line in which costs are typed. */
void change_costs_ask(struct session *session);
/* Where costs come from layers: asks whether that shall end, and nothing changes for now. */
bool change_asks_layers(struct session *session);

#endif
