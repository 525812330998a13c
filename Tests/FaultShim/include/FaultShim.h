#ifndef FAULT_SHIM_H
#define FAULT_SHIM_H

// A library to be preloaded: it stands between garner and the C library, numbers the calls that concern the store, and
// lets one of them, or all from that one on, go wrong. Other programs, and files outside of the store, are let alone.
//
// GARNER_FAULT_STORE  the absolute path of the store, without a link in it
// GARNER_FAULT_LOG    a file that exists. Without a plan, a line for each call: its number, its name, how many bytes it
//                     moves. With one, a line once the fault has been injected: number, name, process. It is locked
//                     (flock) for as long as a process of the run lives, also one that has been detached.
// GARNER_FAULT_PLAN   "NUMBER KIND ERRNO LASTING": which call, or with NAME:NUMBER which call of a name; a kind of
//                     fault (below); an error's number, for the kinds that need one; 1 where the fault lasts from that
//                     call on, 2 where it lasts for the calls of that name, else 0
// GARNER_FAULT_PATH   where it is set, only calls count whose path ends so
//
// kill-before, kill-after   SIGKILL, before the call or when it has been carried out
// fail                      the call fails, and nothing is done
// lost                      the call is carried out, and fails all the same: the reply of a file server was lost
// short                     half of the bytes are moved; where it lasts, of each call's
// byte                      one byte is moved
// interrupt                 EINTR; where it lasts, at every other call

#endif
