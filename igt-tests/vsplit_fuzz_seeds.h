/* SPDX-License-Identifier: MIT */
/*
 * Programs for vsplit_fuzz that were written for a purpose: what it takes to get somewhere.
 * They come before those of vsplit_fuzz_corpus.h.
 */

/* swizzling ranges: acquired, taken, left */
"world 4 kill 0\npopulate - 0 1\nranges - 0 2\nranges - 0 3\nranges - 0 4\nranges - 0 5\n"
"ranges - 0 6\n",
"world 5 kill 0\npopulate - 0 7\nranges - 0 8\nranges - 0 9\nranges - 0 a\nranges - 0 b\n"
"ranges - 0 c\n",
"world 8 kill 0\npopulate - 0 d\nranges - 0 e\nranges - 0 f\nranges - 0 10\nranges - 0 11\n"
"ranges - 0 12\n",
"world 4 kill 0\npopulate - 0 13\nranges sites 16 14\nranges waits 12 15\nranges kernels 24 16\n",

/* commands that fault */
"world 0 kill 0\npopulate - 0 17\nfaulty - 0 18\nfaulty - 0 19\nfaulty - 0 1a\nfaulty - 0 1b\n"
"faulty - 0 1c\nfaulty - 0 1d\n",
"world 1 kill 0\npopulate - 0 1e\nfaulty - 0 1f\nfaulty - 0 20\nfaulty - 0 21\nfaulty - 0 22\n"
"faulty - 0 23\nfaulty - 0 24\n",
"world 2 kill 0\npopulate - 0 25\nfaulty - 0 26\nfaulty - 0 27\nfaulty - 0 28\nfaulty - 0 29\n"
"faulty - 0 2a\nfaulty - 0 2b\n",
"world 6 kill 0\npopulate - 0 2c\nfaulty - 0 2d\nfaulty - 0 2e\nfaulty - 0 2f\nfaulty - 0 30\n"
"faulty - 0 31\nfaulty - 0 32\n",

/* timelines */
"world 0 kill 0\ntimeline - 0 33\ntimeline - 0 34\ntimeline sites 24 35\ntimeline kernels 40 36\n",

/* clients that never wait, more records than are kept */
"world 0 kill 0\nmany - 0 37\nmany - 0 38\nmany - 0 39\nmany - 0 3a\n",
"world 1 kill 0\nmany - 0 3b\nmany - 0 3c\nmany - 0 3d\nmany - 0 3e\n",

/* commands that do not end */
"world 0 kill 0\npopulate - 0 3f\nhang - 0 40\nhang - 0 41\nhang - 0 42\nbuffer - 0 43\n"
"debugfs - 0 44\n",
"world 2 kill 0\npopulate - 0 45\nhang - 0 46\nhang - 0 47\nhang - 0 48\nbuffer - 0 49\n"
"debugfs - 0 4a\n",
"world 5 kill 0\npopulate - 0 4b\nhang - 0 4c\nhang - 0 4d\nhang - 0 4e\nbuffer - 0 4f\n"
"debugfs - 0 50\n",
"world 3 kill 0\npopulate - 0 51\nhang - 0 52\nhang - 0 53\nhang - 0 54\nbuffer - 0 55\n"
"debugfs - 0 56\n",

/* unbound with work running and queued */
"world 1 kill 0\npopulate - 0 57\ndying - 0 58\nSUBMIT - 0 59\ntouch - 0 5a\nreopen - 0 5b\n"
"populate - 0 5c\ndying - 0 5d\n",
"world 2 kill 0\npopulate - 0 5e\ndying - 0 5f\nSUBMIT - 0 60\ntouch - 0 61\nreopen - 0 62\n"
"populate - 0 63\ndying - 0 64\n",
"world 3 kill 0\npopulate - 0 65\ndying - 0 66\nSUBMIT - 0 67\ntouch - 0 68\nreopen - 0 69\n"
"populate - 0 6a\ndying - 0 6b\n",
"world 5 kill 0\npopulate - 0 6c\ndying - 0 6d\nSUBMIT - 0 6e\ntouch - 0 6f\nreopen - 0 70\n"
"populate - 0 71\ndying - 0 72\n",
"world 6 kill 0\npopulate - 0 73\ndying - 0 74\nSUBMIT - 0 75\ntouch - 0 76\nreopen - 0 77\n"
"populate - 0 78\ndying - 0 79\n",
"world 7 kill 0\npopulate - 0 7a\ndying - 0 7b\nSUBMIT - 0 7c\ntouch - 0 7d\nreopen - 0 7e\n"
"populate - 0 7f\ndying - 0 80\n",
"world 9 kill 0\npopulate - 0 81\ndying - 0 82\nSUBMIT - 0 83\ntouch - 0 84\nreopen - 0 85\n"
"populate - 0 86\ndying - 0 87\n",

/* ranges that are busy */
"world 3 kill 0\npending - 0 88\npending - 0 89\npending - 0 8a\n",
"world 6 kill 0\npending - 0 8b\npending - 0 8c\npending - 0 8d\n",
"world 0 kill 0\npending - 0 8e\npending - 0 8f\npending - 0 90\n",

/* large plans */
"world 3 kill 0\npopulate - 0 91\nplan - 0 92\nplan - 0 93\nplan - 0 94\nplan - 0 95\n",
"world 6 kill 0\npopulate - 0 96\nplan - 0 97\nplan - 0 98\nplan - 0 99\nplan - 0 9a\n",
"world 1 kill 0\npopulate - 0 9b\nplan - 0 9c\nplan - 0 9d\nplan - 0 9e\nplan - 0 9f\n",
"world 7 kill 0\npopulate - 0 a0\nplan - 0 a1\nplan - 0 a2\nplan - 0 a3\nplan - 0 a4\n",
"world 0 kill 0\npopulate - 0 a5\nplan - 0 a6\nplan - 0 a7\nplan - 0 a8\nplan - 0 a9\n",
"world 4 kill 0\npopulate - 0 aa\nplan - 0 ab\nplan - 0 ac\nplan - 0 ad\nplan - 0 ae\n",
"world 6 kill 0\npopulate - 0 af\nplan sites 30 b0\nplan kernels 60 b1\nplan waits 12 b2\n",

/* surfaces of several allocations */
"world 4 kill 0\nsurface - 0 b3\nsurface - 0 b4\nsurface sites 24 b5\nsurface kernels 40 b6\n",

/* imports and exports */
"world 0 kill 0\nforeign - 0 b7\nforeign - 0 b8\nforeign - 0 b9\nforeign - 0 ba\n"
"foreign sites 16 bb\n",
"world 1 kill 0\nforeign - 0 bc\nforeign - 0 bd\nforeign - 0 be\nforeign - 0 bf\n"
"foreign sites 16 c0\n",
"world 6 kill 0\nforeign - 0 c1\nforeign - 0 c2\nforeign - 0 c3\nforeign - 0 c4\n"
"foreign sites 16 c5\n",
"world 1 kill 0\nimport sites 12 c8\nexport sites 12 c9\ndmabuf kernels 30 ca\n",

/* adapters, with each failure on their way */
"world 0 kill 0\nadapter - 0 cb\nadapter - 0 cc\nadapter - 0 cd\nadapter - 0 ce\n"
"adapter sites 50 cf\n",
"world 0 kill 0\nadapter kernels 80 d0\nadapter sites 50 d1\n",

/* one field wrong */
"world 0 kill 0\npopulate - 0 d2\nwrong - 0 d3\nwrong - 0 d4\nwrong - 0 d5\nwrong - 0 d6\n"
"wrong - 0 d7\nwrong - 0 d8\nwrong - 0 d9\nwrong - 0 da\n",
"world 1 kill 0\npopulate - 0 db\nwrong - 0 dc\nwrong - 0 dd\nwrong - 0 de\nwrong - 0 df\n"
"wrong - 0 e0\nwrong - 0 e1\nwrong - 0 e2\nwrong - 0 e3\n",
"world 2 kill 0\npopulate - 0 e4\nwrong - 0 e5\nwrong - 0 e6\nwrong - 0 e7\nwrong - 0 e8\n"
"wrong - 0 e9\nwrong - 0 ea\nwrong - 0 eb\nwrong - 0 ec\n",
"world 4 kill 0\npopulate - 0 ed\nwrong - 0 ee\nwrong - 0 ef\nwrong - 0 f0\nwrong - 0 f1\n"
"wrong - 0 f2\nwrong - 0 f3\nwrong - 0 f4\nwrong - 0 f5\n",
"world 6 kill 0\npopulate - 0 f6\nwrong - 0 f7\nwrong - 0 f8\nwrong - 0 f9\nwrong - 0 fa\n"
"wrong - 0 fb\nwrong - 0 fc\nwrong - 0 fd\nwrong - 0 fe\n",

/* events with filters and triggers */
"world 4 kill 0\npopulate - 0 ff\nfilter - 0 100\nfaulty - 0 101\nranges - 0 102\nplan - 0 103\n"
"hang - 0 104\nbuffer - 0 105\ntouch - 0 106\ntrace - 0 107\ntrace - 0 108\ntrace - 0 109\n"
"trace - 0 10a\ntrace - 0 10b\ntrace - 0 10c\n",
"world 4 kill 0\npopulate - 0 10d\nfilter - 0 10e\nfaulty - 0 10f\nranges - 0 110\nplan - 0 111\n"
"hang - 0 112\nbuffer - 0 113\ntouch - 0 114\ntrace - 0 115\ntrace - 0 116\ntrace - 0 117\n"
"trace - 0 118\ntrace - 0 119\ntrace - 0 11a\n",
"world 4 kill 0\npopulate - 0 11b\nfilter - 0 11c\nfaulty - 0 11d\nranges - 0 11e\nplan - 0 11f\n"
"hang - 0 120\nbuffer - 0 121\ntouch - 0 122\ntrace - 0 123\ntrace - 0 124\ntrace - 0 125\n"
"trace - 0 126\ntrace - 0 127\ntrace - 0 128\n",

/* the driver's events as perf has them */
"world 0 kill 0\nperf - 0 129\nperf - 0 12a\nperf - 0 12b\nperf - 0 12c\nperf - 0 12d\nperf - 0 12e\n"
"perf - 0 12f\nperf - 0 130\nperf - 0 131\nperf - 0 132\nperf - 0 133\nperf - 0 134\nperf - 0 135\n"
"perf - 0 136\nperf - 0 137\n",
"world 4 kill 0\npopulate - 0 138\nperf - 0 139\nperf - 0 13a\nperf - 0 13b\nperf - 0 13c\n"
"perf - 0 13d\nperf - 0 13e\nperf - 0 13f\nperf - 0 140\nperf - 0 141\nperf - 0 142\nperf - 0 143\n"
"perf - 0 144\nfaulty - 0 145\nranges - 0 146\n",

/* each failure on the way of a call */
"world 1 kill 0\npopulate - 0 147\nSUBMIT sites 40 148\nSUBMIT waits 12 149\nSUBMIT kernels 60 14a\n"
"buffer sites 40 14b\nbuffer kernels 60 14c\nlocked sites 12 14d\nlocked waits 12 14e\n"
"ESCAPE sites 12 14f\n",
"world 2 kill 0\npopulate - 0 150\nSUBMIT sites 40 151\nSUBMIT waits 12 152\nSUBMIT kernels 60 153\n"
"buffer sites 40 154\nbuffer kernels 60 155\nlocked sites 12 156\nlocked waits 12 157\n"
"ESCAPE sites 12 158\n",
"world 1 kill 0\nGEM_CREATE sites 12 159\nCTX_CREATE sites 12 15a\nRECORD sites 12 15b\n"
"QUERY sites 12 15c\nGEM_INFO sites 12 15d\nGEM_PRIORITY sites 12 15e\nmap sites 12 15f\n"
"touch sites 12 160\nfdinfo sites 12 161\npoke sites 12 162\nGEM_CREATE waits 12 163\n"
"GEM_INFO waits 12 164\nGEM_PRIORITY waits 12 165\nRECORD waits 12 166\nESCAPE waits 12 167\n",
"world 1 kill 0\npopulate kernels 60 168\npopulate sites 40 169\nfdinfo waits 8 16a\n"
"poke waits 8 16b\ntouch kernels 20 16c\nESCAPE kernels 20 16d\nconfigfs sites 30 16e\n"
"dumb kernels 20 16f\n",

/* resets of a PCI function */
"world 8 kill 0\npopulate - 0 170\nbuffer - 0 171\nbus - 0 172\nbuffer - 0 173\nbus - 0 174\n"
"touch - 0 175\npopulate - 0 176\nbus - 0 177\n",

/* the hooks themselves */
"world 0 kill 0\nhooks - 0 178\nhooks - 0 179\nhooks - 0 17a\nhooks - 0 17b\nhooks - 0 17c\n"
"hooks - 0 17d\n",
