/* SPDX-License-Identifier: MIT */
/*
 * Programs for vsplit_fuzz that were written for a purpose: what it takes to get somewhere.
 * They come before those of vsplit_fuzz_corpus.h.
 */

/* heads: lit, shown on, looked at, dark; and again where there is hardly room */
"world 11 kill 0\npopulate - 0 3001\nkms-show - 0 3002\nkms-show - 0 3003\nkms-show - 0 3004\n"
"kms-show - 0 3005\nkms-show - 0 3006\nkms-show - 0 3007\nkms-show - 0 3008\n"
"kms-show - 0 3009\nkms-show - 0 300a\nkms-show - 0 300b\nkms-show - 0 300c\n"
"kms-show - 0 300d\n",
"world 12 kill 0\npopulate - 0 300e\nkms-show - 0 300f\nkms-show - 0 3010\nkms-show - 0 3011\n"
"kms-show - 0 3012\nkms-show - 0 3013\nkms-show - 0 3014\nkms-show - 0 3015\n"
"kms-show - 0 3016\nkms-show - 0 3017\nkms-show - 0 3018\nkms-show - 0 3019\n"
"kms-show - 0 301a\n",

/* each of what a client does to heads */
"world 11 kill 0\npopulate - 0 301b\nkms-fb - 0 301c\nkms-fb - 0 301d\nkms-mode - 0 301e\n"
"kms-mode - 0 301f\nkms-fb - 0 3020\nkms-mode - 0 3021\nkms-commit - 0 3022\n"
"kms-flip - 0 3023\nkms-cursor - 0 3024\nkms-wait - 0 3025\nkms-lease - 0 3026\n"
"kms-master - 0 3027\nkms-probe - 0 3028\nkms-root - 0 3029\nkms-fb - 0 302a\n"
"kms-mode - 0 302b\nkms-commit - 0 302c\nkms-flip - 0 302d\nkms-cursor - 0 302e\n"
"kms-wait - 0 302f\nkms-lease - 0 3030\nkms-master - 0 3031\nkms-probe - 0 3032\n"
"kms-root - 0 3033\nkms-fb - 0 3034\nkms-mode - 0 3035\nkms-commit - 0 3036\n"
"kms-flip - 0 3037\nkms-cursor - 0 3038\nkms-wait - 0 3039\nkms-lease - 0 303a\n"
"kms-master - 0 303b\nkms-probe - 0 303c\nkms-root - 0 303d\nkms-fb - 0 303e\n"
"kms-mode - 0 303f\nkms-commit - 0 3040\nkms-flip - 0 3041\nkms-cursor - 0 3042\n"
"kms-wait - 0 3043\nkms-lease - 0 3044\nkms-master - 0 3045\nkms-probe - 0 3046\n"
"kms-root - 0 3047\n",
"world 12 kill 0\npopulate - 0 3048\nkms-show - 0 3049\nkms-mode - 0 304a\nkms-mode - 0 304b\n"
"kms-commit - 0 304c\nkms-flip - 0 304d\nkms-cursor - 0 304e\nkms-commit - 0 304f\n"
"kms-wait - 0 3050\nkms-root - 0 3051\nbuffer - 0 3052\nkms-commit - 0 3053\n"
"kms-flip - 0 3054\nkms-cursor - 0 3055\nkms-commit - 0 3056\nkms-wait - 0 3057\n"
"kms-root - 0 3058\nbuffer - 0 3059\nkms-commit - 0 305a\nkms-flip - 0 305b\n"
"kms-cursor - 0 305c\nkms-commit - 0 305d\nkms-wait - 0 305e\nkms-root - 0 305f\n"
"buffer - 0 3060\nkms-commit - 0 3061\nkms-flip - 0 3062\nkms-cursor - 0 3063\n"
"kms-commit - 0 3064\nkms-wait - 0 3065\nkms-root - 0 3066\nbuffer - 0 3067\n"
"kms-commit - 0 3068\nkms-flip - 0 3069\nkms-cursor - 0 306a\nkms-commit - 0 306b\n"
"kms-wait - 0 306c\nkms-root - 0 306d\nbuffer - 0 306e\n",

/* heads that fail on their way, and wait for each other */
"world 11 kill 0\npopulate - 0 306f\nkms-mode - 0 3070\nkms-show sites 16 3071\n"
"kms-commit sites 24 3072\nkms-lease sites 12 3073\nkms-show waits 8 3074\n"
"kms-commit waits 12 3075\n",
"world 11 kill 0\npopulate - 0 3076\nkms-mode - 0 3077\nkms-show kernels 12 3078\n"
"kms-fb kernels 20 3079\nkms-commit kernels 30 307a\nkms-root kernels 10 307b\n"
"kms-cursor kernels 20 307c\n",
"world 12 kill 0\npopulate - 0 307d\nkms-show - 0 307e\nkms-mode - 0 307f\n"
"kms-commit beside 0 3080\nkms-flip - 0 3081\nbuffer beside 0 3082\nkms-commit held 3 3083\n"
"kms-root beside 0 3084\nkms-wait - 0 3085\nkms-show beside 0 3086\nkms-commit held 9 3087\n"
"kms-commit beside 0 3088\nkms-flip - 0 3089\nbuffer beside 0 308a\nkms-commit held 3 308b\n"
"kms-root beside 0 308c\nkms-wait - 0 308d\nkms-show beside 0 308e\nkms-commit held 9 308f\n"
"kms-commit beside 0 3090\nkms-flip - 0 3091\nbuffer beside 0 3092\nkms-commit held 3 3093\n"
"kms-root beside 0 3094\nkms-wait - 0 3095\nkms-show beside 0 3096\nkms-commit held 9 3097\n",

/* an adapter that goes while it shows something */
"world 11 kill 0\npopulate - 0 3098\nkms-mode - 0 3099\nkms-mode - 0 309a\n"
"kms-commit - 0 309b\nkms-root - 0 309c\nunbind - 0 309d\npopulate - 0 309e\n"
"kms-mode - 0 309f\nkms-commit beside 0 30a0\ndying - 0 30a1\nkms-show - 0 30a2\n",
"world 8 kill 0\npopulate - 0 30a3\nkms-show - 0 30a4\nkms-mode - 0 30a5\nkms-commit - 0 30a6\n"
"bus - 0 30a7\nkms-show - 0 30a8\n",

/* swizzling ranges: acquired, taken, left */
"world 4 kill 0\npopulate - 0 1\nranges - 0 2\nranges - 0 3\nranges - 0 4\nranges - 0 5\n",
"world 5 kill 0\npopulate - 0 6\nranges - 0 7\nranges - 0 8\nranges - 0 9\nranges - 0 a\n",
"world 8 kill 0\npopulate - 0 b\nranges - 0 c\nranges - 0 d\nranges - 0 e\nranges - 0 f\n",
"world 10 kill 0\npopulate - 0 10\nranges - 0 11\nranges - 0 12\nranges - 0 13\nranges - 0 14\n",
"world 4 kill 0\npopulate - 0 15\nranges sites 16 16\nranges waits 12 17\nranges kernels 16 18\n"
"locked sites 12 19\nlocked waits 12 1a\n",

/* commands that fault */
"world 0 kill 0\npopulate - 0 1b\nfaulty - 0 1c\nfaulty - 0 1d\nfaulty - 0 1e\nfaulty - 0 1f\n"
"faulty - 0 20\n",
"world 1 kill 0\npopulate - 0 21\nfaulty - 0 22\nfaulty - 0 23\nfaulty - 0 24\nfaulty - 0 25\n"
"faulty - 0 26\n",
"world 2 kill 0\npopulate - 0 27\nfaulty - 0 28\nfaulty - 0 29\nfaulty - 0 2a\nfaulty - 0 2b\n"
"faulty - 0 2c\n",
"world 6 kill 0\npopulate - 0 2d\nfaulty - 0 2e\nfaulty - 0 2f\nfaulty - 0 30\nfaulty - 0 31\n"
"faulty - 0 32\n",

/* timelines */
"world 0 kill 0\ntimeline - 0 33\ntimeline - 0 34\ntimeline sites 24 35\ntimeline kernels 24 36\n",

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

/* a clock by which commands take long, and an unbind in their midst */
"world 0 kill 0\nclock - 0 88\nclock - 0 89\nclock - 0 8a\nclock - 0 8b\nclock - 0 8c\nclock - 0 8d\n"
"clock - 0 8e\nclock - 0 8f\nclock - 0 90\nclock - 0 91\n",

/* ranges that are busy */
"world 3 kill 0\npending - 0 92\npending - 0 93\npending - 0 94\n",
"world 6 kill 0\npending - 0 95\npending - 0 96\npending - 0 97\n",
"world 0 kill 0\npending - 0 98\npending - 0 99\npending - 0 9a\n",

/* large plans */
"world 3 kill 0\npopulate - 0 9b\nplan - 0 9c\nplan - 0 9d\nplan - 0 9e\n",
"world 6 kill 0\npopulate - 0 9f\nplan - 0 a0\nplan - 0 a1\nplan - 0 a2\n",
"world 1 kill 0\npopulate - 0 a3\nplan - 0 a4\nplan - 0 a5\nplan - 0 a6\n",
"world 7 kill 0\npopulate - 0 a7\nplan - 0 a8\nplan - 0 a9\nplan - 0 aa\n",
"world 0 kill 0\npopulate - 0 ab\nplan - 0 ac\nplan - 0 ad\nplan - 0 ae\n",
"world 4 kill 0\npopulate - 0 af\nplan - 0 b0\nplan - 0 b1\nplan - 0 b2\n",
"world 10 kill 0\nplan - 0 b3\nplan - 0 b4\nplan - 0 b5\nplan - 0 b6\nplan - 0 b7\n",
"world 10 kill 0\nplan - 0 b8\nplan - 0 b9\nplan - 0 ba\nplan - 0 bb\nplan - 0 bc\n",
"world 10 kill 0\nplan - 0 bd\nplan - 0 be\nplan - 0 bf\nplan - 0 c0\nplan - 0 c1\n",
"world 6 kill 0\nknob - 0 c2\nplan - 0 c3\nknob - 0 c4\nplan - 0 c5\nknob - 0 c6\nplan - 0 c7\n"
"knob - 0 c8\nplan - 0 c9\n",
"world 6 kill 0\npopulate - 0 ca\nplan sites 30 cb\nplan kernels 40 cc\nplan waits 12 cd\n",

/* killed while a plan is made */
"world 10 kill 30000\nplan - 0 ce\nplan - 0 cf\nplan - 0 d0\nplan - 0 d1\nplan - 0 d2\nplan - 0 d3\n",
"world 10 kill 60000\nplan - 0 d4\nplan - 0 d5\nplan - 0 d6\nplan - 0 d7\nplan - 0 d8\nplan - 0 d9\n",
"world 10 kill 65535\nplan - 0 da\nplan - 0 db\nplan - 0 dc\nplan - 0 dd\nplan - 0 de\nplan - 0 df\n",
"world 10 kill 65535\nplan - 0 e0\nplan - 0 e1\nplan - 0 e2\nplan - 0 e3\nplan - 0 e4\nplan - 0 e5\n",
"world 10 kill 65535\nplan - 0 e6\nplan - 0 e7\nplan - 0 e8\nplan - 0 e9\nplan - 0 ea\nplan - 0 eb\n",
"world 10 kill 65535\nplan - 0 ec\nplan - 0 ed\nplan - 0 ee\nplan - 0 ef\nplan - 0 f0\nplan - 0 f1\n",
"world 10 kill 65535\nplan - 0 f2\nplan - 0 f3\nplan - 0 f4\nplan - 0 f5\nplan - 0 f6\nplan - 0 f7\n",
"world 10 kill 65535\nplan - 0 f8\nplan - 0 f9\nplan - 0 fa\nplan - 0 fb\nplan - 0 fc\nplan - 0 fd\n",

/* surfaces of several allocations */
"world 4 kill 0\nsurface - 0 fe\nsurface - 0 ff\nsurface sites 24 100\nsurface kernels 24 101\n",

/* imports and exports */
"world 0 kill 0\nforeign - 0 102\nforeign - 0 103\nforeign - 0 104\nforeign - 0 105\n"
"foreign sites 16 106\n",
"world 1 kill 0\nforeign - 0 107\nforeign - 0 108\nforeign - 0 109\nforeign - 0 10a\n"
"foreign sites 16 10b\n",
"world 6 kill 0\nforeign - 0 10c\nforeign - 0 10d\nforeign - 0 10e\nforeign - 0 10f\n"
"foreign sites 16 110\n",
"world 1 kill 0\nimport sites 12 111\nexport sites 12 112\ndmabuf kernels 20 113\nexport - 0 114\n"
"export - 0 115\nfdinfo - 0 116\nfdinfo waits 8 117\n",

/* adapters, with each failure on their way */
"world 0 kill 0\nadapter - 0 118\nadapter - 0 119\nadapter - 0 11a\nadapter - 0 11b\n"
"adapter - 0 11c\nadapter - 0 11d\nadapter sites 60 11e\n",
"world 0 kill 0\nadapter kernels 50 11f\nadapter sites 60 120\n",
"world 1 kill 0\nunbind sites 60 121\nunbind kernels 40 122\n",
"world 8 kill 0\nunbind sites 60 123\nunbind kernels 40 124\n",

/* one field wrong */
"world 0 kill 0\npopulate - 0 125\nwrong - 0 126\nwrong - 0 127\nwrong - 0 128\nwrong - 0 129\n"
"wrong - 0 12a\nwrong - 0 12b\nwrong - 0 12c\nwrong - 0 12d\n",
"world 1 kill 0\npopulate - 0 12e\nwrong - 0 12f\nwrong - 0 130\nwrong - 0 131\nwrong - 0 132\n"
"wrong - 0 133\nwrong - 0 134\nwrong - 0 135\nwrong - 0 136\n",
"world 2 kill 0\npopulate - 0 137\nwrong - 0 138\nwrong - 0 139\nwrong - 0 13a\nwrong - 0 13b\n"
"wrong - 0 13c\nwrong - 0 13d\nwrong - 0 13e\nwrong - 0 13f\n",
"world 4 kill 0\npopulate - 0 140\nwrong - 0 141\nwrong - 0 142\nwrong - 0 143\nwrong - 0 144\n"
"wrong - 0 145\nwrong - 0 146\nwrong - 0 147\nwrong - 0 148\n",
"world 6 kill 0\npopulate - 0 149\nwrong - 0 14a\nwrong - 0 14b\nwrong - 0 14c\nwrong - 0 14d\n"
"wrong - 0 14e\nwrong - 0 14f\nwrong - 0 150\nwrong - 0 151\n",
"world 0 kill 0\nwrong - 0 152\nwrong - 0 153\nwrong - 0 154\nwrong - 0 155\nwrong - 0 156\n"
"wrong - 0 157\nwrong - 0 158\nwrong - 0 159\nwrong - 0 15a\nwrong - 0 15b\nwrong - 0 15c\n"
"wrong - 0 15d\n",

/* events with filters and triggers */
"world 4 kill 0\npopulate - 0 15e\nfilter - 0 15f\nfaulty - 0 160\nranges - 0 161\nplan - 0 162\n"
"hang - 0 163\nbuffer - 0 164\ntouch - 0 165\ntrace - 0 166\ntrace - 0 167\ntrace - 0 168\n"
"trace - 0 169\ntrace - 0 16a\ntrace - 0 16b\n",
"world 4 kill 0\npopulate - 0 16c\nfilter - 0 16d\nfaulty - 0 16e\nranges - 0 16f\nplan - 0 170\n"
"hang - 0 171\nbuffer - 0 172\ntouch - 0 173\ntrace - 0 174\ntrace - 0 175\ntrace - 0 176\n"
"trace - 0 177\ntrace - 0 178\ntrace - 0 179\n",
"world 4 kill 0\npopulate - 0 17a\nfilter - 0 17b\nfaulty - 0 17c\nranges - 0 17d\nplan - 0 17e\n"
"hang - 0 17f\nbuffer - 0 180\ntouch - 0 181\ntrace - 0 182\ntrace - 0 183\ntrace - 0 184\n"
"trace - 0 185\ntrace - 0 186\ntrace - 0 187\n",
"world 4 kill 0\npopulate - 0 188\nfilter - 0 189\nfaulty - 0 18a\nranges - 0 18b\nplan - 0 18c\n"
"hang - 0 18d\nbuffer - 0 18e\ntouch - 0 18f\ntrace - 0 190\ntrace - 0 191\ntrace - 0 192\n"
"trace - 0 193\ntrace - 0 194\ntrace - 0 195\n",
"world 4 kill 0\npopulate - 0 196\nfilter - 0 197\nfaulty - 0 198\nranges - 0 199\nplan - 0 19a\n"
"hang - 0 19b\nbuffer - 0 19c\ntouch - 0 19d\ntrace - 0 19e\ntrace - 0 19f\ntrace - 0 1a0\n"
"trace - 0 1a1\ntrace - 0 1a2\ntrace - 0 1a3\n",
"world 4 kill 0\npopulate - 0 1a4\nfilter - 0 1a5\nfaulty - 0 1a6\nranges - 0 1a7\nplan - 0 1a8\n"
"hang - 0 1a9\nbuffer - 0 1aa\ntouch - 0 1ab\ntrace - 0 1ac\ntrace - 0 1ad\ntrace - 0 1ae\n"
"trace - 0 1af\ntrace - 0 1b0\ntrace - 0 1b1\n",

/* the driver's events as perf has them */
"world 0 kill 0\nperf - 0 1b2\nperf - 0 1b3\nperf - 0 1b4\nperf - 0 1b5\nperf - 0 1b6\nperf - 0 1b7\n"
"perf - 0 1b8\nperf - 0 1b9\nperf - 0 1ba\nperf - 0 1bb\nperf - 0 1bc\nperf - 0 1bd\nperf - 0 1be\n"
"perf - 0 1bf\nperf - 0 1c0\n",
"world 4 kill 0\npopulate - 0 1c1\nperf - 0 1c2\nperf - 0 1c3\nperf - 0 1c4\nperf - 0 1c5\n"
"perf - 0 1c6\nperf - 0 1c7\nperf - 0 1c8\nperf - 0 1c9\nperf - 0 1ca\nperf - 0 1cb\nperf - 0 1cc\n"
"perf - 0 1cd\nfaulty - 0 1ce\nranges - 0 1cf\n",

/* what there is to be asked */
"world 2 kill 0\nQUERY - 0 1d0\nQUERY - 0 1d1\nQUERY - 0 1d2\nQUERY - 0 1d3\nQUERY - 0 1d4\n"
"QUERY - 0 1d5\nQUERY - 0 1d6\nQUERY - 0 1d7\nQUERY - 0 1d8\nQUERY - 0 1d9\nQUERY - 0 1da\n"
"QUERY - 0 1db\nQUERY - 0 1dc\nQUERY - 0 1dd\n",
"world 3 kill 0\nQUERY - 0 1de\nQUERY - 0 1df\nQUERY - 0 1e0\nQUERY - 0 1e1\nQUERY - 0 1e2\n"
"QUERY - 0 1e3\nQUERY - 0 1e4\nQUERY - 0 1e5\nQUERY - 0 1e6\nQUERY - 0 1e7\nQUERY - 0 1e8\n"
"QUERY - 0 1e9\nQUERY - 0 1ea\nQUERY - 0 1eb\n",
"world 5 kill 0\nQUERY - 0 1ec\nQUERY - 0 1ed\nQUERY - 0 1ee\nQUERY - 0 1ef\nQUERY - 0 1f0\n"
"QUERY - 0 1f1\nQUERY - 0 1f2\nQUERY - 0 1f3\nQUERY - 0 1f4\nQUERY - 0 1f5\nQUERY - 0 1f6\n"
"QUERY - 0 1f7\nQUERY - 0 1f8\nQUERY - 0 1f9\n",
"world 9 kill 0\nQUERY - 0 1fa\nQUERY - 0 1fb\nQUERY - 0 1fc\nQUERY - 0 1fd\nQUERY - 0 1fe\n"
"QUERY - 0 1ff\nQUERY - 0 200\nQUERY - 0 201\nQUERY - 0 202\nQUERY - 0 203\nQUERY - 0 204\n"
"QUERY - 0 205\nQUERY - 0 206\nQUERY - 0 207\n",

/* each failure on the way of a call */
"world 1 kill 0\npopulate - 0 208\nSUBMIT sites 40 209\nSUBMIT waits 12 20a\nSUBMIT kernels 40 20b\n"
"buffer sites 40 20c\nbuffer kernels 40 20d\nlocked sites 12 20e\nlocked waits 12 20f\n"
"ESCAPE sites 12 210\n",
"world 2 kill 0\npopulate - 0 211\nSUBMIT sites 40 212\nSUBMIT waits 12 213\nSUBMIT kernels 40 214\n"
"buffer sites 40 215\nbuffer kernels 40 216\nlocked sites 12 217\nlocked waits 12 218\n"
"ESCAPE sites 12 219\n",
"world 1 kill 0\nGEM_CREATE sites 12 21a\nCTX_CREATE sites 12 21b\nRECORD sites 12 21c\n"
"QUERY sites 12 21d\nGEM_INFO sites 12 21e\nGEM_PRIORITY sites 12 21f\nmap sites 12 220\n"
"touch sites 12 221\nfdinfo sites 12 222\npoke sites 12 223\nGEM_CREATE waits 12 224\n"
"GEM_INFO waits 12 225\nGEM_PRIORITY waits 12 226\nRECORD waits 12 227\nESCAPE waits 12 228\n",
"world 1 kill 0\npopulate kernels 60 229\npopulate sites 40 22a\nfdinfo waits 8 22b\n"
"poke waits 8 22c\ntouch kernels 20 22d\nESCAPE kernels 20 22e\nconfigfs sites 30 22f\n"
"dumb kernels 20 230\n",

/* resets of a PCI function */
"world 8 kill 0\npopulate - 0 231\nbuffer - 0 232\nbus - 0 233\nbuffer - 0 234\nbus - 0 235\n"
"touch - 0 236\nbus sites 20 237\nbus - 0 238\n",
"world 8 kill 0\npopulate - 0 239\nbus kernels 30 23a\nbus - 0 23b\n",

/* the hooks themselves */
"world 0 kill 0\nhooks - 0 23c\nhooks - 0 23d\nhooks - 0 23e\nhooks - 0 23f\nhooks - 0 240\n"
"hooks - 0 241\n",

/* more of some of them */
"world 0 kill 0\nclock - 0 1001\nclock - 0 1002\nclock - 0 1003\nclock - 0 1004\nclock - 0 1005\n"
"clock - 0 1006\nclock - 0 1007\nclock - 0 1008\nclock - 0 1009\nclock - 0 100a\nclock - 0 100b\n"
"clock - 0 100c\n",
"world 0 kill 0\nclock - 0 100d\nclock - 0 100e\nclock - 0 100f\nclock - 0 1010\nclock - 0 1011\n"
"clock - 0 1012\nclock - 0 1013\nclock - 0 1014\nclock - 0 1015\nclock - 0 1016\nclock - 0 1017\n"
"clock - 0 1018\n",
"world 4 kill 0\npopulate - 0 1019\nfilter - 0 101a\nfaulty - 0 101b\nranges - 0 101c\n"
"plan - 0 101d\nbuffer - 0 101e\ntouch - 0 101f\n",
"world 4 kill 0\npopulate - 0 1020\nfilter - 0 1021\nfaulty - 0 1022\nranges - 0 1023\n"
"plan - 0 1024\nbuffer - 0 1025\ntouch - 0 1026\n",
"world 4 kill 0\npopulate - 0 1027\nfilter - 0 1028\nfaulty - 0 1029\nranges - 0 102a\n"
"plan - 0 102b\nbuffer - 0 102c\ntouch - 0 102d\n",
"world 4 kill 0\npopulate - 0 102e\nfilter - 0 102f\nfaulty - 0 1030\nranges - 0 1031\n"
"plan - 0 1032\nbuffer - 0 1033\ntouch - 0 1034\n",
"world 4 kill 0\npopulate - 0 1035\nfilter - 0 1036\nfaulty - 0 1037\nranges - 0 1038\n"
"plan - 0 1039\nbuffer - 0 103a\ntouch - 0 103b\n",
"world 4 kill 0\npopulate - 0 103c\nfilter - 0 103d\nfaulty - 0 103e\nranges - 0 103f\n"
"plan - 0 1040\nbuffer - 0 1041\ntouch - 0 1042\n",
"world 4 kill 0\npopulate - 0 1043\nfilter - 0 1044\nfaulty - 0 1045\nranges - 0 1046\n"
"plan - 0 1047\nbuffer - 0 1048\ntouch - 0 1049\n",
"world 4 kill 0\npopulate - 0 104a\nfilter - 0 104b\nfaulty - 0 104c\nranges - 0 104d\n"
"plan - 0 104e\nbuffer - 0 104f\ntouch - 0 1050\n",
"world 0 kill 0\nadapter - 0 1051\nadapter - 0 1052\nadapter - 0 1053\nadapter - 0 1054\n"
"adapter - 0 1055\nadapter - 0 1056\nadapter - 0 1057\nadapter - 0 1058\nadapter - 0 1059\n"
"adapter - 0 105a\n",
"world 2 kill 0\npopulate - 0 105b\nwrong - 0 105c\nwrong - 0 105d\nwrong - 0 105e\nwrong - 0 105f\n"
"wrong - 0 1060\nwrong - 0 1061\nwrong - 0 1062\nwrong - 0 1063\n",
"world 4 kill 0\npopulate - 0 1064\nwrong - 0 1065\nwrong - 0 1066\nwrong - 0 1067\nwrong - 0 1068\n"
"wrong - 0 1069\nwrong - 0 106a\nwrong - 0 106b\nwrong - 0 106c\n",
"world 6 kill 0\npopulate - 0 106d\nwrong - 0 106e\nwrong - 0 106f\nwrong - 0 1070\nwrong - 0 1071\n"
"wrong - 0 1072\nwrong - 0 1073\nwrong - 0 1074\nwrong - 0 1075\n",
"world 4 kill 0\npopulate - 0 1076\nperf - 0 1077\nperf - 0 1078\nperf - 0 1079\nperf - 0 107a\n"
"faulty - 0 107b\nfaulty - 0 107c\nranges - 0 107d\nranges - 0 107e\nhang - 0 107f\nplan - 0 1080\n"
"plan - 0 1081\n",
"world 10 kill 0\nplan - 0 1082\nplan - 0 1083\nplan - 0 1084\nplan - 0 1085\nplan - 0 1086\n",
"world 10 kill 0\nplan - 0 1087\nplan - 0 1088\nplan - 0 1089\nplan - 0 108a\nplan - 0 108b\n",
"world 10 kill 0\nplan - 0 108c\nplan - 0 108d\nplan - 0 108e\nplan - 0 108f\nplan - 0 1090\n",
"world 8 kill 0\npopulate - 0 1091\nbus - 0 1092\nbus - 0 1093\nbus - 0 1094\npopulate - 0 1095\n"
"bus kernels 24 1096\nbus - 0 1097\nbus sites 8 1098\n",

/* a cgroup that goes first */
"world 1 kill 0\ncgroup - 0 2000\ncgroup - 0 2001\ncgroup - 0 2002\n",
"world 2 kill 0\ncgroup - 0 2003\ncgroup - 0 2004\n",

/* all that is traced, by perf and by ftrace at once */
"world 4 kill 0\nperf - 0 2010\nperf - 0 2011\nperf - 0 2012\nperf - 0 2013\nperf - 0 2014\n"
"perf - 0 2015\nperf - 0 2016\nperf - 0 2017\nfilter - 0 104b\npopulate - 0 2018\nfaulty - 0 2019\n"
"ranges - 0 201a\nplan - 0 201b\nbuffer - 0 201c\ntouch - 0 201d\nhang - 0 201e\n",

/* failures that come late */
"world 4 kill 0\npopulate - 0 2020\nranges kernels 200 2021\nranges sites 80 2022\n",
"world 5 kill 0\npopulate - 0 2023\nranges kernels 200 2024\nranges waits 60 2025\n",
"world 10 kill 0\nlocked kernels 60 2026\npopulate kernels 200 2027\nimport kernels 80 2028\n",
"world 8 kill 0\npopulate - 0 2029\nbus - 0 202a\nbus kernels 200 2213\nbus - 0 202b\n"
"bus sites 60 2214\nbus - 0 202c\nbus waits 20 2218\n",

/* users that come and go */
"world 1 kill 0\nuser - 0 2030\nuser - 0 2031\nuser - 0 2032\nuser kernels 60 2033\n"
"user sites 40 2034\nuser beside 0 2035\nuser beside 0 2036\nuser - 0 2037\n",

/* a trace that takes nothing, and events for their triggers alone */
"world 4 kill 0\nfilter - 0 2045\npopulate - 0 2141\nfaulty - 0 2142\nranges - 0 2143\nplan - 0 2144\n"
"buffer - 0 2145\ntouch - 0 2146\nhang - 0 2147\n",
"world 4 kill 0\nfilter - 0 2043\npopulate - 0 2141\nfaulty - 0 2142\nranges - 0 2143\nplan - 0 2144\n"
"buffer - 0 2145\ntouch - 0 2146\nhang - 0 2147\n",
