#ifndef FAULT_SHIM_H
#define FAULT_SHIM_H

// A library to be preloaded between garner and the C library. It numbers the calls that concern the store, and injects
// a fault into one of them, or into all from that one on. It leaves other programs, and files outside of the store,
// alone.
//
// GARNER_FAULT_STORE  the absolute path of the store, without a link in it
// GARNER_FAULT_LOG    an existing file. Without a plan, it gets a line for each call: its number, its name, how many
//                     bytes it moves. With a plan, it gets one line once the fault has been injected: number, name,
//                     process. It is locked (flock) for as long as a process of the run lives, also a detached one.
// GARNER_FAULT_PLAN   "NUMBER KIND ERRNO LASTING": the number of the call, or NAME:NUMBER for a call of that name; the
//                     kind of fault (below); an error's number, for the kinds that need one; 1 where the fault lasts
//                     from that call on, 2 where it lasts for the calls of that name, else 0
// GARNER_FAULT_PATH   where it is set, only calls whose path ends like this are logged, counted by name, or faulty
//
// kill-before, kill-after   SIGKILL, before the call or when it has been carried out
// fail                      the call fails, and nothing is done
// lost                      the call is carried out, but fails, as if the reply of a file server had been lost
// short                     half of the bytes are moved; where the fault lasts, half of each call's
// byte                      one byte is moved
// interrupt                 the call fails with EINTR; where the fault lasts, every other call does
// signal                    the process gets the signal whose number stands for ERRNO, before the call

#endif
