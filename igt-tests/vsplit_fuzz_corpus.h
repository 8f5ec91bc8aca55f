/* SPDX-License-Identifier: MIT */
/* Programs for vsplit_fuzz, each a string. Made by scripts/fuzz-corpus. */
"world 0 kill 0\npopulate - 0 92e5dfe8cb1855fe\nbuffer - 0 14a03569d26b9496\nSUBMIT - 0 c320a4737c2b3abe\n"
"map - 0 96d373742f9a039\ntouch - 0 254499c7001d9a88\nbuffer - 0 9623d7cfa9ae7a34\ntouch - 0 f72c2c2678629522\n"
"locked - 0 bc1e3ac1c27db4ec\ntouch - 0 51c342505f877031\nclose-bo - 0 59a91e1c527e279\n"
"buffer - 0 7d24b39645cf8aa4\nfdinfo - 0 32b7228fcd4a5557\ndebugfs - 0 df5ca32ebad5ccc2\n"
"debugfs - 0 e91b4ad169fc5360\nreopen - 0 8a0c510089ce5ef7\npopulate - 0 181e290aae9af169\n",
"world 0 kill 0\npopulate - 0 903c2ac9316774fe\ntrace - 0 b313fc7e8db9b92c\nbuffer - 0 ba98666ace1c9c17\n"
"buffer - 0 a9b3d1a243f9300c\nSUBMIT - 0 9c2c0ac2cda95957\ntouch - 0 168e5087af895f5b\n"
"knob - 0 6cb9185ed822e2f9\nSUBMIT beside 0 fd80206055e8b3eb\nbuffer - 0 5cb53ec017d7ab26\n"
"trace - 0 68f22599ccdf540b\nlocked - 0 401fe4fcce06294d\ntouch - 0 b31a5bf371f970cf\n"
"trace - 0 c16cf5c51801fd9a\nSUBMIT held 3 b3642b1932793637\nbuffer - 0 cbe19514a28a0aaa\n"
"trace - 0 18f918e24a8b0188\n",
"world 1 kill 0\npopulate - 0 bb1e330f38d2e64\nbuffer - 0 e71b870396ac828f\nSUBMIT - 0 d3f18766336c7fcd\n"
"map - 0 e9a51fb2a7c88e4b\ntouch - 0 7c9881b15c41d5c5\nbuffer - 0 d52d5759eec7ddb5\n"
"touch - 0 3197d4e2e8d5b9e3\nlocked - 0 936d0e1e83c02da8\ntouch - 0 f8540d95a502a86a\n"
"close-bo - 0 e474e007b2aa40b4\nbuffer - 0 80f1de02ce359204\nfdinfo - 0 ea9238ebf9f3b65b\n"
"debugfs - 0 a22ba4d70746a9ba\ndebugfs - 0 3eb17c275c832a51\nreopen - 0 6e0012819a0c1b76\n"
"populate - 0 5b7d3b0f4de8344e\n",
"world 1 kill 0\npopulate - 0 1e9d19e796d2f9e0\ntrace - 0 800a4c9416f5c1ee\nbuffer - 0 adb9ce1be14cd8df\n"
"buffer - 0 32f9e2b08677a5f2\nSUBMIT - 0 9bb38b9c1de83405\ntouch - 0 44941663a9a967c1\n"
"knob - 0 b8109a544ff1a001\nSUBMIT beside 0 613b030a323bbeaf\nbuffer - 0 390567c27bd6aa42\n"
"trace - 0 98eb7bce235ae280\nlocked - 0 d581460b35bb0a85\ntouch - 0 e0408802dd93fa0c\n"
"trace - 0 85ab0090b2beca81\nSUBMIT held 3 3051b3900334b01b\nbuffer - 0 2b4cf14cc72ec6f0\n"
"trace - 0 a5e27d6e045df64a\n",
"world 2 kill 0\npopulate - 0 8ec86d6c5539b994\nbuffer - 0 abddfcd9e7893d2b\nSUBMIT - 0 9e5dc5989ec9b42f\n"
"map - 0 5fe7e49d4e5e2d41\ntouch - 0 8701f8ad609d99cc\nbuffer - 0 4a05ae8763a05b05\n"
"touch - 0 adc1383d20783d88\nlocked - 0 7d1f3b5cfff80b3b\ntouch - 0 2f7307300dc749b0\n"
"close-bo - 0 980bcb4c6c426e40\nbuffer - 0 ff9264ffbf0e5eee\nfdinfo - 0 18923f6565d3e198\n"
"debugfs - 0 70f5fafefb2114c0\ndebugfs - 0 ce400e5a3eccb44d\nreopen - 0 16cc725cfab0861c\n"
"populate - 0 9a6a1942e46af459\n",
"world 2 kill 0\npopulate - 0 ded773c7ab935923\ntrace - 0 72346c38e3b71827\nbuffer - 0 c8ae360c727b5109\n"
"buffer - 0 6148e544d4cd6c70\nSUBMIT - 0 13939704cbcd2231\ntouch - 0 6d29e99b844593c9\n"
"knob - 0 4dafab5e788edb0f\nSUBMIT beside 0 d10844c1b4a6fbe1\nbuffer - 0 f0d35d2268b86705\n"
"trace - 0 3130708515ff90ee\nlocked - 0 ae2041fabf1baa5e\ntouch - 0 738c3585440cc2d6\n"
"trace - 0 b8fe1ac77cd78c3c\nSUBMIT held 3 f70f14c2c8b62470\nbuffer - 0 4bf193f2c10966f\n"
"trace - 0 89b695fe05997e18\n",
"world 3 kill 0\npopulate - 0 404a8ce91f9d6396\nbuffer - 0 cd4153e496e3f022\nSUBMIT - 0 3003df0b5c6db724\n"
"map - 0 80b35782419dad4e\ntouch - 0 5456305a7397aed4\nbuffer - 0 8451c28ded77010d\n"
"touch - 0 fb4798cb41382c8a\nlocked - 0 ed4b4741691b3874\ntouch - 0 6bf7578ee119671f\n"
"close-bo - 0 7c43799c9cb7a471\nbuffer - 0 9a3c796744978d49\nfdinfo - 0 a802760179868623\n"
"debugfs - 0 7df5294e7a8187f7\ndebugfs - 0 b8a578bc24663cbd\nreopen - 0 7f2479db60a267d1\n"
"populate - 0 a26c89324e409ece\n",
"world 3 kill 0\npopulate - 0 779e6e65ce038150\ntrace - 0 5dd1702a52c9b40d\nbuffer - 0 29bc6792a8c428df\n"
"buffer - 0 e9c0cef4f884203f\nSUBMIT - 0 9e93cd33ec4edd58\ntouch - 0 b1c7a0976044572d\n"
"knob - 0 440bbbab9a604476\nSUBMIT beside 0 a566be8151f2ed16\nbuffer - 0 f99a8ee465f5c7f8\n"
"trace - 0 bab3c63e7ced7c4c\nlocked - 0 287ef499cb1ed1bd\ntouch - 0 d3e3800fefc5d3fa\n"
"trace - 0 8f52f3584a7132be\nSUBMIT held 3 9fb04eb00195d1ac\nbuffer - 0 f6f3b2277309143f\n"
"trace - 0 2ebd722e0e9e6fb4\n",
"world 4 kill 0\npopulate - 0 9c2670ec07b57698\nbuffer - 0 91dc720fc608df61\nSUBMIT - 0 ae9dd97b1cb550c1\n"
"map - 0 5ef38747b7f01652\ntouch - 0 fb8bf2cb5cacc63f\nbuffer - 0 7f58463cf03da257\n"
"touch - 0 96f9d06eda7e6d7e\nlocked - 0 eb55846d0ff13e83\ntouch - 0 2785fe3331504eb7\n"
"close-bo - 0 44edc7b8f2883e0b\nbuffer - 0 3cb7b779d09e88b\nfdinfo - 0 ce6415a36c0f819e\n"
"debugfs - 0 ccd71056c8443f08\ndebugfs - 0 865d2258d042713b\nreopen - 0 1368e4a97ddfa8ef\n"
"populate - 0 3b68b7307809c5e0\n",
"world 4 kill 0\npopulate - 0 5ef42f2519a3c26c\ntrace - 0 f6432cb95caa327d\nbuffer - 0 ae50328c251c022f\n"
"buffer - 0 3e4cd845a026e64a\nSUBMIT - 0 517dca2c9b48d67b\ntouch - 0 9a56b0124ef4a73\n"
"knob - 0 ab0c6793a0c517e9\nSUBMIT beside 0 b6c4787a18ea1be6\nbuffer - 0 b967fe21afd8e86\n"
"trace - 0 7a560fb6a544161e\nlocked - 0 b95e481e767460e5\ntouch - 0 11a9dbe8e64b3ab6\n"
"trace - 0 7e58951a1131472\nSUBMIT held 3 8d2a5349b38d03cc\nbuffer - 0 9ddaa1c52083817d\n"
"trace - 0 ec97480bd5296c98\n",
"world 5 kill 0\npopulate - 0 293b228e15631cb4\nbuffer - 0 a194e4b09e3d39b2\nSUBMIT - 0 43e32d2ce95166e9\n"
"map - 0 d6a1fd17e860f448\ntouch - 0 a77ed5fce4aef511\nbuffer - 0 7febd81f73b536a3\ntouch - 0 5314446b19ce70a\n"
"locked - 0 a32fdf8bca94c3e6\ntouch - 0 d178c525231726b7\nclose-bo - 0 3054ce6af182c839\n"
"buffer - 0 ef227294e8a56f25\nfdinfo - 0 7aaa791270ddf265\ndebugfs - 0 7081b38ec74ba574\n"
"debugfs - 0 8effc0827273bf5c\nreopen - 0 7a38f8c646c29d09\npopulate - 0 944e43e2b6650304\n",
"world 5 kill 0\npopulate - 0 d4d8677a104cafdf\ntrace - 0 4ab0d0dfccd9d36b\nbuffer - 0 5d0a9c33fa633fc9\n"
"buffer - 0 5c32415f493bed71\nSUBMIT - 0 8ab95c1f08e4d86\ntouch - 0 809da3d2156c2ae7\n"
"knob - 0 4699c5d4dbab0d36\nSUBMIT beside 0 462c63d447a17de4\nbuffer - 0 791d15a8f75a3b0e\n"
"trace - 0 71b93e3a6e4223c1\nlocked - 0 5f17aa83ec12dfff\ntouch - 0 b6ba8799082b755b\n"
"trace - 0 3fe4336615ecba5a\nSUBMIT held 3 9acbb48fd0fdbae4\nbuffer - 0 3d0b28d5a3797f28\n"
"trace - 0 bed70cf5891699f7\n",
"world 6 kill 0\npopulate - 0 bd320937085fdcce\nbuffer - 0 561d10732c5cf0b7\nSUBMIT - 0 82ec3295ed8585d\n"
"map - 0 f3af62f80d54304c\ntouch - 0 bd669cdffe37e0b7\nbuffer - 0 c050bc17c3e3ffaa\n"
"touch - 0 358cc2fbf325e49d\nlocked - 0 6edb4869b3602a3e\ntouch - 0 e29833d957ee2e76\n"
"close-bo - 0 285ab2ee13dd40e6\nbuffer - 0 ad028836bb44e2f8\nfdinfo - 0 664fa64a1d316615\n"
"debugfs - 0 22bcc0dc8c106b57\ndebugfs - 0 be369b7576cc0c79\nreopen - 0 a3afef687e999119\n"
"populate - 0 20c7f981133f18a3\n",
"world 6 kill 0\npopulate - 0 59b3edf212efc48c\ntrace - 0 fa7ec429853034d8\nbuffer - 0 2f88ac9407cd41ab\n"
"buffer - 0 b545213a86821fd5\nSUBMIT - 0 2f076754267a167a\ntouch - 0 bd2ed409481de355\n"
"knob - 0 81dfc68a26a80c25\nSUBMIT beside 0 d99e235391851322\nbuffer - 0 cbf3061b63683bb8\n"
"trace - 0 f1f0ae60391beafc\nlocked - 0 b2109a2b38ba8077\ntouch - 0 b718689990660d07\n"
"trace - 0 2037d43fe91bcbdf\nSUBMIT held 3 b0dbf3ee6b4c2cdc\nbuffer - 0 c1ddd37329c66b64\n"
"trace - 0 fe511dd551061050\n",
"world 7 kill 0\npopulate - 0 8f9e9cce3d868039\nbuffer - 0 1383e3f9286660c\nSUBMIT - 0 ce1a0c0ac952b37f\n"
"map - 0 62fdd18891a46fe9\ntouch - 0 c29ef810302a59d8\nbuffer - 0 dadd63b2534471e4\n"
"touch - 0 86bb77ae618e86cc\nlocked - 0 27a05c970e1abc0\ntouch - 0 d849693265c34b6d\n"
"close-bo - 0 87e1e380ff5d8170\nbuffer - 0 d99bcf748d123126\nfdinfo - 0 22e20f19a97dc15b\n"
"debugfs - 0 3bd3503fb7642ecb\ndebugfs - 0 8b3eb7b6a5281e38\nreopen - 0 be2d4fb1ce2560b0\n"
"populate - 0 459b35dd5f4a1342\n",
"world 7 kill 0\npopulate - 0 2f65f56eaaa3a20c\ntrace - 0 263fbb4df8fb2f26\nbuffer - 0 b0b3f6cb2a04548a\n"
"buffer - 0 22639415a01e70b7\nSUBMIT - 0 1303b035627b9e1c\ntouch - 0 32305e60fa21a5a\n"
"knob - 0 78e275cc0a3503c6\nSUBMIT beside 0 f2981d7c24b91e4\nbuffer - 0 a69f435d1d55eb77\n"
"trace - 0 8a4f8970b6070940\nlocked - 0 ac799e0d19a32fa8\ntouch - 0 987a878a5e1c0ad1\n"
"trace - 0 f541b26083d01f9\nSUBMIT held 3 398bbb8b8af20d12\nbuffer - 0 6826f236c9520579\n"
"trace - 0 c37e2d9239bf7f90\n",
"world 8 kill 0\npopulate - 0 b00bfb4290b7ee92\nbuffer - 0 f37a40d7ec1a775e\nSUBMIT - 0 17bc09d44b22b1f1\n"
"map - 0 13c9e2d47896a8ca\ntouch - 0 92cab021b961c8f3\nbuffer - 0 f0e117ddd3db728\ntouch - 0 e4cc72952b2a28a1\n"
"locked - 0 701c89c2a94eca35\ntouch - 0 f5435e1c1ebc2593\nclose-bo - 0 b3b333011cbab01f\n"
"buffer - 0 2d846f17fbb63065\nfdinfo - 0 af17f7e20ccda392\ndebugfs - 0 7c77fdaeb78112e\n"
"debugfs - 0 d73c5abfc0076c0f\nreopen - 0 fe40fe67ad0a32c3\npopulate - 0 6ce2671fbabc95ed\n",
"world 8 kill 0\npopulate - 0 b5549da1a6a59ee1\ntrace - 0 4174dad7497a90f0\nbuffer - 0 3b60b6ee7180db10\n"
"buffer - 0 d0d944f833bf8e81\nSUBMIT - 0 a77edfdcdbf91cf7\ntouch - 0 891cf2a8c7602804\n"
"knob - 0 a50c5682c99c6d5e\nSUBMIT beside 0 471f034236c5f890\nbuffer - 0 35b7ad2979b26f1\n"
"trace - 0 86ec10034143f610\nlocked - 0 bb59d1acca6082b7\ntouch - 0 f94ca5c8bea990d7\n"
"trace - 0 f800ac48febfbc9c\nSUBMIT held 3 df12453eb54c3ad8\nbuffer - 0 54baea7eaf13516c\n"
"trace - 0 84754eabc6ea85fb\n",
"world 9 kill 0\npopulate - 0 95ba923017fb56ee\nbuffer - 0 a538e0f19869ce67\nSUBMIT - 0 5caf4faa0861b9e7\n"
"map - 0 b0f8d1685dfceaf5\ntouch - 0 39eba3941dfb88fe\nbuffer - 0 c349f9c7f2cf0f96\n"
"touch - 0 5c40e9c8072be2fd\nlocked - 0 b135f2feebdb69a2\ntouch - 0 5731a72af2a87a26\n"
"close-bo - 0 af88a4d46f854e44\nbuffer - 0 f8a03880d51c685c\nfdinfo - 0 5810ea030d3f8234\n"
"debugfs - 0 7c81f7223afacfe\ndebugfs - 0 5610d31802841a9f\nreopen - 0 7c24f687116e32c6\n"
"populate - 0 76b074c900a91ac2\n",
"world 9 kill 0\npopulate - 0 4381a86bd40d84a2\ntrace - 0 ad5713f51667c9cd\nbuffer - 0 9dbfdf8a973a6505\n"
"buffer - 0 3aefad9045f259e7\nSUBMIT - 0 203d308f21e3a661\ntouch - 0 8bb78f866b51c641\n"
"knob - 0 3e32f4332e8d40ca\nSUBMIT beside 0 a9b58da5fa28ac54\nbuffer - 0 fb633c7162478ba8\n"
"trace - 0 6dd90a68980488f7\nlocked - 0 847f69c4904469f3\ntouch - 0 d49ee0c0a07a8619\n"
"trace - 0 edb492927afdd002\nSUBMIT held 3 40cf517d4528b339\nbuffer - 0 4c8efc1023039105\n"
"trace - 0 8699e04e3572207\n",
"world 1 kill 0\npopulate - 0 c21089703149bd88\nimport - 0 1acf5eaf72cba481\nimport - 0 2d140c93cef15ec4\n"
"buffer - 0 1bc28a53937894b0\nexport - 0 edac9118f2b518ae\nexport - 0 a9d5c5cf3d822f\n"
"dmabuf - 0 291452f98379354a\ndmabuf - 0 26e8b9a61eb28a28\ntouch - 0 64a4268297baf5f0\n"
"buffer - 0 7c780fb479441af1\nexport - 0 de9b7fe5dc9c16a6\nfence - 0 c469271d87e23f83\n"
"import - 0 8a9ebda5b1bb092c\nbuffer - 0 cb9eb546cfc6153c\npoke - 0 3723b986786f1f91\n"
"remap - 0 a4eb8b86d78670f0\n",
"world 4 kill 0\npopulate - 0 636b371ce63bc275\nimport - 0 c53e827127837d33\nimport - 0 7544e5e4eb4d6347\n"
"buffer - 0 e9142223dea78a4b\nexport - 0 2bade3adae10e7b\nexport - 0 6ae75e6f5677af4a\n"
"dmabuf - 0 51c1b0504077725c\ndmabuf - 0 49290466220132a2\ntouch - 0 969e88cd5ef91119\n"
"buffer - 0 adb7d032dae32884\nexport - 0 392a7a385ce5f554\nfence - 0 c7b002ed015f0402\n"
"import - 0 2d38c7014e0f7553\nbuffer - 0 685bad6f1520b760\npoke - 0 9ece426d9f5c41d6\n"
"remap - 0 3b4455fdc4ab2071\n",
"world 6 kill 0\npopulate - 0 a45fcb41ed3722b7\nimport - 0 31b9144e16d70903\nimport - 0 696e33d961621470\n"
"buffer - 0 c0cad78520385f62\nexport - 0 e9c18038e91113cd\nexport - 0 25c51900d6435018\n"
"dmabuf - 0 edc4a9108511f171\ndmabuf - 0 ce37959f43c0f80\ntouch - 0 865d5608853100d1\n"
"buffer - 0 f7fa809ac6c3a066\nexport - 0 ebcde5c57cf12f75\nfence - 0 e20a753d5d404a34\n"
"import - 0 54253303fe91d546\nbuffer - 0 b65f7f96d779c669\npoke - 0 63c0134797787305\n"
"remap - 0 45e3a487de028b82\n",
"world 8 kill 0\npopulate - 0 a9ed3b2fa641e0e7\nimport - 0 f78a2c68cc3b28f0\nimport - 0 42f637181114c739\n"
"buffer - 0 a8cdb0d21a9fda3\nexport - 0 96c62bfc1c02320f\nexport - 0 9c85039e9a65ab34\n"
"dmabuf - 0 fd3e31c6b83b8292\ndmabuf - 0 d1e8f4fc27b5e191\ntouch - 0 81aa52288150ac54\n"
"buffer - 0 c84249eb1d14a55e\nexport - 0 c3f5786eb0049f8a\nfence - 0 f7b8ab53c76e5bcd\n"
"import - 0 1624dd9e162ff40b\nbuffer - 0 d53161f7fae1e855\npoke - 0 c145b234aa36ac40\n"
"remap - 0 3753a1751ff80b0a\n",
"world 8 kill 0\npopulate - 0 569e150459ddbdbf\nbuffer - 0 f93c0d9828830469\ntouch - 0 d18fa6f2ba5bd72f\n"
"bus - 0 3e85889ceaaf9cc1\nbuffer - 0 f7114a9c2cd585eb\ntouch - 0 39bf543e2f1cc025\nbus - 0 2020d2fca0fe6942\n"
"poke - 0 7aa4a9b3dc085948\nunbind - 0 ed79bbd3bd2c3b7a\npopulate - 0 9f51c7c875303ad3\n"
"buffer - 0 b9f8c1161c4a838c\nbus - 0 22fe00719d372dfe\nbuffer - 0 f89f6c36749f86e4\n",
"world 1 kill 0\nconfigfs - 0 3241a435cdc445c2\nconfigfs - 0 5f008e6692684788\nconfigfs - 0 250525bcbbe66482\n"
"configfs - 0 550efac3f899e134\nconfigfs - 0 437d304aa040bccb\nconfigfs - 0 117ad089e96371f6\n"
"configfs - 0 c0b222174622404d\nconfigfs - 0 fa5154400647ee4\nconfigfs - 0 a7819015e1e531ef\n"
"configfs - 0 7acb1ae107a5f146\nconfigfs - 0 a17e9059fe5ee98b\nconfigfs - 0 516ec94274abb14f\n"
"configfs - 0 2e3bbeb0fb04005\nconfigfs - 0 e479da6f464fff79\nconfigfs - 0 19f47b77b8a7a601\n"
"configfs - 0 ef02339362527d5b\n",
"world 2 kill 0\nconfigfs - 0 56009ef79fb3bb2e\nconfigfs - 0 bccda8941a181ac2\nconfigfs - 0 dbe4db88d5ecbc67\n"
"configfs - 0 245787535f86f15f\nconfigfs - 0 c17a8380d530ce6f\nconfigfs - 0 5ed1520825b5e612\n"
"configfs - 0 c30dc963aad41c55\nconfigfs - 0 be7014d578115138\nconfigfs - 0 c99b2a8a678814c3\n"
"configfs - 0 f21ef33d04f30e35\nconfigfs - 0 e38f4bab881e42b1\nconfigfs - 0 269e93afd68a4215\n"
"configfs - 0 fc5c94d91a97920b\nconfigfs - 0 5f9e66d7721da0d9\nconfigfs - 0 e48b372503304a90\n"
"configfs - 0 f147f8c8fe7e5286\n",
"world 4 kill 0\nperf - 0 e236687ffb30a9f7\nperf - 0 c4fe21c4b7e63c13\nperf - 0 8020cd7a0bb5a359\n"
"perf - 0 3fea43ffbf32c1a2\nperf - 0 fc3aa618a95ab622\nperf - 0 f89c57b39f3df48b\n"
"populate - 0 86e6cfa800d779df\nbuffer - 0 d146c3e6e0ff29fb\ntouch - 0 8e92a4ab7ecc02bb\n"
"buffer - 0 41393fe8896ab037\ndebugfs - 0 d81fb7442b96bf0f\ndebugfs - 0 521e9c8709124b61\n"
"hooks - 0 dbeab8a00390f61c\nhooks - 0 92126d5935b8e888\nhooks - 0 30ce4b034ddcf643\n"
"hooks - 0 472f3173276d7b19\n",
"world 0 kill 0\npopulate - 0 45cc49060ee70945\nGEM_SURFACE - 0 4d750fd2ba374523\n"
"GEM_SURFACE - 0 fb8365f4b3d634e0\nQUERY - 0 5fcdbd86e1ce02ee\nQUERY - 0 b51b560037b73690\n"
"QUERY - 0 2bec1b96ba78cfac\ndumb - 0 b34ad6982fb16a\ndumb - 0 d0ad9d101711155b\nESCAPE - 0 d3e7ac9ee000123f\n"
"ESCAPE - 0 93b9990f5b773645\nESCAPE - 0 598ce6e92f57ebb3\nESCAPE - 0 7a3d8e5e2eeb3dbb\n"
"ESCAPE - 0 a3a6aa6aeca1e72a\nbuffer - 0 79c5fc8f3884471d\nRECORD - 0 e3cfb76e6262992a\n"
"CTX_QUERY - 0 9f4e2b598c077faf\n",
"world 0 kill 0\npopulate - 0 903c2ac9316774fe\ntrace - 0 b313fc7e8db9b92c\nbuffer - 0 ba98666ace1c9c17\n"
"buffer - 0 a9b3d1a243f9300c\nSUBMIT - 0 9c2c0ac2cda95957\ntouch - 0 168e5087af895f5b\n"
"knob - 0 6cb9185ed822e2f9\nSUBMIT beside 0 fd80206055e8b3eb\nbuffer - 0 5cb53ec017d7ab26\n"
"trace - 0 68f22599ccdf540b\nlocked - 0 401fe4fcce06294d\ntouch - 0 b31a5bf371f970cf\n"
"trace - 0 c16cf5c51801fd9a\nSUBMIT held 3 b3642b1932793637\nbuffer - 0 cbe19514a28a0aaa\n"
"trace - 0 18f918e24a8b0188\n",
"world 9 kill 0\npopulate - 11 2b3757448c2f7e6a\nCTX_DESTROY - 0 d9d9fe7c79a5c5a0\n"
"GEM_PRIORITY - 0 c069b999d14cb5d7\nfdinfo - 0 3b3a8762bfcb6581\ntouch interrupt 22 2b4319a4d8416088\n"
"buffer kernel 11 17536a38c412830\n",
"world 3 kill 0\npopulate - 21 ee14a5ac1daa9573\ntouch - 0 3aec667ee4c337d8\nbuffer - 14 912f822b1e8fe1e4\n"
"close-bo site 10 edf1072d5d60db98\nQUERY beside 3 e15e79ca53942f21\ntouch - 0 cb9f82c5fc0a9cbf\n"
"GEM_INFO site 15 c40291c88688d51b\nSUBMIT - 0 69d0a0f25f40d7c1\nRECORD - 0 630342cb274fee6d\n"
"map - 0 70d935326b3c16c5\n",
"world 1 kill 0\npopulate - 0 a8dac4470070658b\nGEM_LOCK kernel 38 a73bb22e2be0943b\n"
"dumb - 7 4ef91cf662be5efe\nexport beside 8 a230cf902968f2ee\ndumb - 0 6301d3c222829a5a\n"
"trace - 0 b078f0ca5b0aefa\nRECORD - 0 96c1e2d971354f51\nbuffer - 0 1b33640501d52a8c\n"
"import held 19 53a5920624a5c3e7\n",
"world 2 kill 0\npopulate - 18 376dcca5f9d8c79d\nbuffer - 0 88e403eb3fe62365\nbuffer - 0 345c82a1fc3acb4c\n"
"SUBMIT beside 14 c170fe3c1b9c0bb5\nfence - 0 62316b2b0483249b\nSUBMIT - 0 bfc408b7c2fbefdf\n"
"SUBMIT interrupt 21 b52c41196b4e2d9\nknob - 0 4b1114fd1ad98967\n",
"world 9 kill 0\npopulate - 44 60d329a948fd389c\nGEM_SURFACE - 0 ba09f4b9089a63f5\n"
"GEM_LOCK - 0 adf82ba3a8d6f39a\ntrace - 0 a42fdc5b95c23661\n",
"world 8 kill 0\npopulate - 22 439d77b93bb6d0ae\npoke - 0 2614dad1e5c58006\nhooks - 0 21dc084356c789b0\n"
"CTX_DESTROY kernel 23 76b58be414baf349\nCTX_CREATE kernel 7 fa82bb6d513b2193\n"
"close-bo beside 13 c674ae9b5b8d4faa\nCTX_DESTROY kernel 26 c1ec273c2c19659c\nunmap - 0 fcb544c0d801a154\n",
"world 0 kill 0\npopulate - 23 b9291bde657946d1\nCTX_CREATE interrupt 6 ef48afe4346cfb9c\n"
"import - 0 6ab97a10cbc65337\nCTX_QUERY - 0 3269120065a22dde\nreopen - 1 656efc15515a29dd\n"
"remap kernel 35 7030d7e1e50b7e0c\nwait site 22 d8fdd21c84a62cbc\npopulate - 0 2ee9625a3f7fb5f2\n"
"SUBMIT - 0 30cd62fa9857d259\ntrace kernel 12 42a406bec884b742\nGEM_MMAP_OFFSET - 0 3c986e358b70efaf\n"
"SUBMIT - 0 bf5c436b52b75e85\n",
"world 2 kill 0\npopulate - 0 779e6e65ce038150\ntrace - 0 5dd1702a52c9b40d\nbuffer - 0 29bc6792a8c428df\n"
"buffer - 0 e9c0cef4f884203f\nSUBMIT - 0 9e93cd33ec4edd58\ntouch - 0 b1c7a0976044572d\n"
"ESCAPE beside 21 e8d9255cc915dff1\nSUBMIT beside 0 a566be8151f2ed16\nbuffer - 0 f99a8ee465f5c7f8\n"
"trace - 0 bab3c63e7ced7c4c\nlocked - 0 287ef499cb1ed1bd\ntouch - 0 d3e3800fefc5d3fa\n"
"trace - 0 8f52f3584a7132be\nSUBMIT held 3 9fb04eb00195d1ac\nbuffer - 0 f6f3b2277309143f\n"
"trace - 0 2ebd722e0e9e6fb4\n",
"world 7 kill 0\npopulate - 0 3ea8353eb9bf7689\nGEM_CREATE - 0 5e2a9d4a9824d116\nbuffer - 19 9dd7aabe448b8020\n"
"locked site 16 8a1b307156cde84\nSUBMIT - 0 d01283165afed8a2\n",
"world 2 kill 0\npopulate - 0 779e6e65ce038150\ntrace - 0 5dd1702a52c9b40d\nbuffer - 0 e9c0cef4f884203f\n"
"SUBMIT - 0 9e93cd33ec4edd58\ntouch - 0 b1c7a0976044572d\nESCAPE beside 21 e8d9255cc915dff1\n"
"SUBMIT beside 0 a566be8151f2ed16\nbuffer - 0 f99a8ee465f5c7f8\nbuffer - 0 88e403eb3fe62365\n"
"locked - 0 287ef499cb1ed1bd\ntouch - 0 d3e3800fefc5d3fa\ntrace - 0 8f52f3584a7132be\n"
"SUBMIT interrupt 21 b52c41196b4e2d9\nbuffer - 0 f6f3b2277309143f\ntrace - 0 2ebd722e0e9e6fb4\n",
"world 1 kill 0\npopulate - 0 bb1e330f38d2e64\nbuffer - 0 e71b870396ac828f\nSUBMIT - 0 d3f18766336c7fcd\n"
"map - 0 e9a51fb2a7c88e4b\ntouch - 0 7c9881b15c41d5c5\nbuffer - 0 d52d5759eec7ddb5\n"
"touch - 0 3197d4e2e8d5b9e3\nlocked - 0 936d0e1e83c02da8\ntouch - 0 f8540d95a502a86a\n"
"close-bo - 0 e474e007b2aa40b4\nbuffer - 0 80f1de02ce359204\nfdinfo - 0 ea9238ebf9f3b65b\n"
"debugfs - 0 a22ba4d70746a9ba\ndebugfs - 0 3eb17c275c832a51\nreopen - 0 6e0012819a0c1b76\n"
"populate - 0 5b7d3b0f4de8344e\n",
"world 3 kill 0\npopulate - 11 ec06078e130837a2\nSUBMIT - 0 9ff8215d7115da09\ntouch site 15 dd9694be5a52bc7a\n"
"SUBMIT - 0 13ca862b1bfe1803\nGEM_INFO kernel 41 b88b147543194c31\nSUBMIT beside 5 e380037405b2b0be\n"
"SUBMIT interrupt 22 c665e1184817334d\nRECORD held 1 ce151d038156d819\ntouch - 0 5c68b46cb906a3cd\n"
"SUBMIT - 0 6105a666f615a1f\nwait - 0 92937fe74c57f47d\n",
"world 7 kill 0\npopulate - 8 78a233b3e4110c4c\ntouch - 0 a5841622e8f3a8a8\nunmap - 0 cd88649ad939d004\n"
"GEM_SURFACE - 0 9557213cabeab5\nbuffer - 20 b56954ed7e181db1\nknob - 0 b40ab2c77fb06df9\n"
"perf site 17 c9d33b7b42706a30\nperf - 0 d11bfcdb643432e5\nQUERY interrupt 23 9ec13df8765ca9de\n"
"configfs held 18 e9b6bf07654ff10a\nGEM_CREATE - 0 ef2f2077e11e4f47\nGEM_LOCK site 16 cbea7f81de7a738e\n"
"SUBMIT beside 16 28b5dafdfb4a1f0\n",
"world 0 kill 0\npopulate site 1 903c2ac9316774fe\ntrace - 0 b313fc7e8db9b92c\nbuffer - 0 ba98666ace1c9c17\n"
"buffer - 0 a9b3d1a243f9300c\nSUBMIT - 0 9c2c0ac2cda95957\ntouch - 0 168e5087af895f5b\n"
"knob - 0 6cb9185ed822e2f9\nSUBMIT beside 0 fd80206055e8b3eb\nbuffer - 0 5cb53ec017d7ab26\n"
"trace - 0 68f22599ccdf540b\nlocked - 0 401fe4fcce06294d\ntouch - 0 b31a5bf371f970cf\n"
"trace - 0 c16cf5c51801fd9a\nSUBMIT held 3 b3642b1932793637\nbuffer - 0 cbe19514a28a0aaa\n"
"trace - 0 18f918e24a8b0188\n",
"world 0 kill 0\npopulate - 23 ade60527f693fb0\nSUBMIT - 0 302ea4f09a36c5c9\nknob - 0 a1831d52f8852cad\n"
"close-bo - 0 e338245859128061\nGEM_LOCK kernel 8 68c7105d52c78a97\nESCAPE held 16 88454551bd40a3b5\n"
"populate interrupt 17 80695f68826c3634\nSUBMIT kernel 42 428236e53af491ee\npoke - 0 d523c30951d32331\n"
"SUBMIT - 0 5d3181194b26b4da\nESCAPE site 11 3b092f3fd3e934b2\nperf - 0 3514010b76b5d168\n"
"syncobj site 10 78cc3d2117e8b351\nGEM_SURFACE site 2 f7ed40a4653b86bd\n",
"world 3 kill 0\npopulate - 11 ec06078e130837a2\nSUBMIT - 0 9ff8215d7115da09\ntouch site 15 dd9694be5a52bc7a\n"
"SUBMIT - 0 13ca862b1bfe1803\nGEM_INFO kernel 41 b88b147543194c31\ntrace kernel 42 f8a1dc0acf0ee520\n"
"SUBMIT - 3 d4d44cf22cc42043\nSUBMIT interrupt 22 c665e1184817334d\nRECORD held 1 ce151d038156d819\n"
"touch - 0 5c68b46cb906a3cd\nSUBMIT - 0 6105a666f615a1f\nwait - 0 92937fe74c57f47d\n",
"world 2 kill 0\npopulate - 9 873efa44f3b5b91a\nfdinfo - 0 cdd4a6b79e3fd3c4\nSUBMIT - 0 6085b387771c8285\n"
"SUBMIT - 0 918e51ce2bf6d19\nSUBMIT - 0 f75904263958fe96\nexport - 0 1d96da63ea3f832\n"
"wait - 0 5a1f0e5448a3cad5\nlocked - 0 804e5981f6a2e34e\nSUBMIT - 0 8601d2e1f7c178a6\n"
"configfs - 0 ac217b6ecc6c8b96\nSUBMIT - 0 caee8de41228b9cc\npoke - 0 739978983fce7bb6\n",
"world 2 kill 0\npopulate - 1 26760fc2d4708eb3\nSUBMIT site 10 7f7553474846d2b5\nhooks - 0 69e352163deb7bb0\n"
"SUBMIT beside 15 50ab4a23cc2fc0a5\nunmap - 0 55a0f957bd5ef4d\nSUBMIT - 0 9920fa0098f49ab2\n"
"hooks - 9 48b0a9ef883655a7\nbuffer - 0 122d63461f2e46a\nGEM_SURFACE - 0 b69f0ad200e29a3a\n"
"remap - 0 36629d0691902d34\nGEM_MMAP_OFFSET kernel 4 386f2b2e87bb8b12\n",
"world 9 kill 0\npopulate - 0 4381a86bd40d84a2\ntrace - 0 ad5713f51667c9cd\nbuffer - 0 9dbfdf8a973a6505\n"
"buffer - 0 3aefad9045f259e7\nSUBMIT - 0 203d308f21e3a661\ntouch - 0 8bb78f866b51c641\n"
"knob - 0 3e32f4332e8d40ca\nSUBMIT beside 0 a9b58da5fa28ac54\nbuffer - 0 fb633c7162478ba8\n"
"trace - 0 6dd90a68980488f7\nlocked - 0 847f69c4904469f3\ntouch - 0 d49ee0c0a07a8619\n"
"trace - 0 edb492927afdd002\nbuffer - 0 4c8efc1023039105\ntrace - 0 8699e04e3572207\n",
"world 3 kill 0\npopulate - 11 ec06078e130837a2\nSUBMIT - 0 9ff8215d7115da09\ntouch site 15 dd9694be5a52bc7a\n"
"SUBMIT - 0 13ca862b1bfe1803\nGEM_INFO kernel 41 b88b147543194c31\ntrace kernel 42 f8a1dc0acf0ee520\n"
"SUBMIT - 3 d4d44cf22cc42043\nSUBMIT interrupt 22 c665e1184817334d\nRECORD held 1 ce151d038156d819\n"
"touch - 0 5c68b46cb906a3cd\nwait - 0 92937fe74c57f47d\nSUBMIT - 0 9ff8215d7115da09\n",
"world 0 kill 0\npopulate - 0 92e5dfe8cb1855fe\nbuffer - 0 14a03569d26b9496\nSUBMIT - 0 c320a4737c2b3abe\n"
"map - 0 96d373742f9a039\ntouch - 0 254499c7001d9a88\nbuffer - 0 9623d7cfa9ae7a34\ntouch - 0 f72c2c2678629522\n"
"touch - 0 51c342505f877031\nclose-bo - 0 59a91e1c527e279\nbuffer - 0 7d24b39645cf8aa4\n"
"fdinfo - 0 32b7228fcd4a5557\ndebugfs - 0 df5ca32ebad5ccc2\ndebugfs - 0 e91b4ad169fc5360\n"
"reopen - 0 8a0c510089ce5ef7\npopulate - 0 181e290aae9af169\n",
"world 7 kill 0\npopulate - 0 8f9e9cce3d868039\nGEM_SURFACE - 0 d5c870d15bb74ec\nbuffer - 0 1383e3f9286660c\n"
"SUBMIT - 0 ce1a0c0ac952b37f\nreopen - 0 94e2ab4903bc2544\ntouch - 0 c29ef810302a59d8\n"
"buffer - 0 dadd63b2534471e4\nlocked - 0 27a05c970e1abc0\ntouch - 0 d849693265c34b6d\n"
"close-bo - 0 87e1e380ff5d8170\nbuffer - 0 d99bcf748d123126\nfdinfo - 0 22e20f19a97dc15b\n"
"debugfs - 0 3bd3503fb7642ecb\ndebugfs - 0 8b3eb7b6a5281e38\nreopen - 0 be2d4fb1ce2560b0\n"
"populate - 0 459b35dd5f4a1342\n",
"world 4 kill 0\npopulate - 0 561961518026bfa2\nESCAPE - 0 54205328f4adad4a\n"
"ESCAPE kernel 14 c7bf3f462a497222\nGEM_CREATE - 0 1c19a1ea6147f3fa\ntouch beside 5 efbfe6f8d5a3d91c\n"
"GEM_SURFACE site 1 109e843be8054174\ndmabuf interrupt 19 a3c17756b9bcc37\nunmap beside 21 c955783cf07871ad\n"
"GEM_CREATE - 0 cf066169cf0c4d08\nbuffer interrupt 17 64d19a46833b5fec\ntouch - 0 9ac115055ab6476d\n"
"SUBMIT interrupt 24 cd4cd45f222f3ff1\nperf site 18 d7363612c7cff730\nbuffer - 0 d08dc146a5a1ecc7\n"
"SUBMIT held 15 86717b839fc78205\n",
"world 2 kill 0\npopulate - 0 d9ba86a3ba25a311\nSUBMIT - 0 e33479dd8f7694c0\nSUBMIT - 0 1604f6db25f72d6f\n"
"locked - 0 7541834a394fe16a\n",
"world 7 kill 0\npopulate - 0 e5b1b390f13741e3\nSUBMIT beside 15 bb55d729eabbca7\nRECORD - 0 798305e86e1b8310\n"
"GEM_CREATE - 22 29990f2e3cbbcdf9\nbuffer - 0 6d03d69f53504855\nESCAPE held 9 7430917795c9b797\n"
"SUBMIT - 0 7bf7b74a0ffd6b75\ndmabuf - 23 57f52c22eed6d8c6\nclose-bo kernel 57 bb499e46d944c31b\n"
"close-bo - 0 a4f23652352de5be\n",
"world 4 kill 0\npopulate - 0 d9ba86a3ba25a311\nSUBMIT - 0 79ee3a2ee6b829ed\nSUBMIT - 0 1604f6db25f72d6f\n"
"locked - 0 7541834a394fe16a\n",
"world 1 kill 0\npopulate - 0 90eec3771936cf38\nremap - 0 fa3503076e37a967\nSUBMIT - 0 60deac7a639703fe\n"
"SUBMIT - 0 a93626f9a8d41cc0\nmap - 16 24a84e252fe21fd2\nSUBMIT - 0 b682990dfbfa483f\n"
"SUBMIT held 16 d5b6fce6c70dbbe4\nSUBMIT - 1 f8130ba9980e4170\n",
"world 2 kill 0\npopulate - 0 779e6e65ce038150\ntrace - 0 5dd1702a52c9b40d\nbuffer - 0 29bc6792a8c428df\n"
"buffer - 0 e9c0cef4f884203f\nSUBMIT - 0 9e93cd33ec4edd58\ntouch - 0 b1c7a0976044572d\n"
"ESCAPE beside 21 e8d9255cc915dff1\nSUBMIT beside 0 a566be8151f2ed16\nbuffer - 0 d1337098520269c8\n"
"trace - 0 bab3c63e7ced7c4c\nGEM_MMAP_OFFSET - 0 3c986e358b70efaf\ntouch - 0 d3e3800fefc5d3fa\n"
"trace - 0 8f52f3584a7132be\nSUBMIT held 3 9fb04eb00195d1ac\nbuffer - 0 f6f3b2277309143f\n"
"trace - 0 2ebd722e0e9e6fb4\n",
"world 0 kill 0\npopulate - 0 10c1b0d51e3c4837\nbuffer kernel 6 abbc211bb6de69b9\nhooks - 0 e8d2d3e184626454\n"
"QUERY site 1 4b3e418a181b87ce\nSUBMIT - 0 63f58d0fa1265d32\nSUBMIT kernel 44 42eb6075ebf34d50\n"
"dumb - 0 39073143644ea289\nexport site 3 b07112adde3c22f0\nGEM_CREATE site 11 332549ed7d883582\n",
"world 1 kill 0\npopulate - 1 85c5c6c3d3c1dbe6\nGEM_LOCK held 18 2ddaf87eb60f0d0\n"
"touch beside 10 4de608e33ac226d7\nbuffer - 0 9729f7d5da5ccc73\nbuffer - 0 1ac8cee0531f3bcb\n"
"SUBMIT held 16 d6e603534e0680dd\nCTX_DESTROY held 23 2d0fdd89e3f410\nknob kernel 10 46e83e6bb2120a33\n"
"SUBMIT beside 14 70de1c26b87843a7\nSUBMIT - 0 5a97a72ad7f343f4\nSUBMIT beside 23 735efa9d60dec686\n"
"SUBMIT interrupt 10 9265e553f7fab131\n",
"world 1 kill 0\npopulate - 0 c7bc0499fbecc675\nfence interrupt 20 11db1f8fd3305d19\n"
"dmabuf - 0 a94a7db8528f828b\nlocked interrupt 8 4c192dcc9ee5d82d\nGEM_LOCK - 0 7881c85f75ef6d46\n"
"SUBMIT interrupt 1 66246d0989d41877\nSUBMIT kernel 30 45c90dc37a3235fb\nESCAPE held 14 148e88aafec497ab\n"
"RECORD beside 10 5366d85ad800a495\ndebugfs - 0 e58e093ecc8d4037\nSUBMIT beside 1 915d9f9bb4e5d523\n"
"perf - 0 e67e2b6cb6c8bf4b\n",
"world 0 kill 0\npopulate - 0 45cc49060ee70945\nGEM_SURFACE - 0 4d750fd2ba374523\n"
"GEM_SURFACE - 0 fb8365f4b3d634e0\nQUERY - 0 5fcdbd86e1ce02ee\nQUERY - 0 b51b560037b73690\n"
"QUERY - 0 2bec1b96ba78cfac\ndumb - 0 b34ad6982fb16a\ndumb - 0 d0ad9d101711155b\nESCAPE - 0 d3e7ac9ee000123f\n"
"ESCAPE interrupt 1 93b9990f5b773645\nESCAPE - 0 598ce6e92f57ebb3\nESCAPE - 0 7a3d8e5e2eeb3dbb\n"
"ESCAPE - 0 a3a6aa6aeca1e72a\nbuffer - 0 79c5fc8f3884471d\nRECORD - 0 e3cfb76e6262992a\n"
"CTX_QUERY - 0 9f4e2b598c077faf\n",
"world 2 kill 0\nunmap - 0 56d0e58c82864623\npopulate - 0 2f65f56eaaa3a20c\nbuffer - 0 b0b3f6cb2a04548a\n"
"buffer - 0 22639415a01e70b7\nSUBMIT - 0 1303b035627b9e1c\ntouch - 0 32305e60fa21a5a\n"
"knob - 0 78e275cc0a3503c6\nSUBMIT beside 0 f2981d7c24b91e4\nbuffer - 0 a69f435d1d55eb77\n"
"trace - 0 8a4f8970b6070940\nlocked - 0 ac799e0d19a32fa8\ntouch - 0 987a878a5e1c0ad1\n"
"trace - 0 f541b26083d01f9\nSUBMIT held 3 398bbb8b8af20d12\nbuffer - 0 6826f236c9520579\n"
"trace - 0 c37e2d9239bf7f90\n",
"world 4 kill 0\npopulate - 0 d9ba86a3ba25a311\nGEM_CREATE interrupt 12 a3932401c1ae656e\n"
"SUBMIT - 0 79ee3a2ee6b829ed\nSUBMIT - 0 1604f6db25f72d6f\nlocked - 0 7541834a394fe16a\n",
"world 6 kill 0\npopulate - 18 fa16008afe4772f5\nSUBMIT - 0 8962b9e29d4afca1\nSUBMIT site 14 e123e9e0cd7fce4c\n"
"GEM_UNLOCK - 0 25feb708155fd46c\nsyncobj - 0 c08a1a2e91469d2f\nbuffer beside 15 34495c6908196cf1\n",
"world 4 kill 0\npopulate - 0 e79ec4a101596012\nexport beside 20 9e23953e366de5c9\nSUBMIT - 0 eafe6e4cd7f9bdf\n"
"touch - 0 236ab554d555eef6\nSUBMIT - 0 83af52dd98c6d8f4\nESCAPE site 9 58786ad1fe7efd59\n"
"SUBMIT - 0 e08aba130c8c7cb5\nSUBMIT kernel 4 ab638e3abcd8aab6\nQUERY held 12 5b06a3c8de95704\n"
"GEM_MMAP_OFFSET - 0 8075e787ca06d92\nSUBMIT site 24 37835309677e67a5\n",
"world 4 kill 0\npopulate - 0 d9ba86a3ba25a311\nGEM_CREATE interrupt 12 a3932401c1ae656e\n"
"SUBMIT - 0 fc6758d7f67377f4\nSUBMIT - 0 79ee3a2ee6b829ed\nSUBMIT - 0 1604f6db25f72d6f\n"
"locked - 0 7541834a394fe16a\n",
"world 0 kill 0\npopulate - 23 ade60527f693fb0\nSUBMIT - 0 302ea4f09a36c5c9\n"
"knob interrupt 1 a1831d52f8852cad\nclose-bo - 0 e338245859128061\nGEM_LOCK kernel 8 68c7105d52c78a97\n"
"ESCAPE held 16 88454551bd40a3b5\npopulate interrupt 17 80695f68826c3634\nSUBMIT kernel 42 428236e53af491ee\n"
"poke - 0 d523c30951d32331\nSUBMIT - 0 5d3181194b26b4da\nESCAPE site 11 3b092f3fd3e934b2\n"
"perf - 0 3514010b76b5d168\nsyncobj site 10 78cc3d2117e8b351\nGEM_SURFACE site 2 f7ed40a4653b86bd\n",
"world 0 kill 0\npopulate - 23 ade60527f693fb0\nSUBMIT kernel 51 f453766631100288\nknob - 0 a1831d52f8852cad\n"
"close-bo - 0 e338245859128061\nGEM_LOCK kernel 8 68c7105d52c78a97\nESCAPE held 16 88454551bd40a3b5\n"
"populate interrupt 17 80695f68826c3634\nSUBMIT kernel 42 428236e53af491ee\nSUBMIT - 0 5d3181194b26b4da\n"
"ESCAPE site 11 38e05684ec57fbaf\nperf - 0 3514010b76b5d168\nsyncobj site 10 78cc3d2117e8b351\n"
"GEM_SURFACE site 2 f7ed40a4653b86bd\n",
"world 5 kill 0\npopulate - 0 779e6e65ce038150\ntrace - 0 5dd1702a52c9b40d\nbuffer - 0 29bc6792a8c428df\n"
"buffer - 0 e9c0cef4f884203f\nSUBMIT - 0 9e93cd33ec4edd58\ntouch - 0 b1c7a0976044572d\n"
"ESCAPE beside 21 e8d9255cc915dff1\nSUBMIT beside 0 a566be8151f2ed16\nbuffer - 0 d1337098520269c8\n"
"trace - 0 bab3c63e7ced7c4c\ntouch - 0 c29ef810302a59d8\ntouch - 0 d3e3800fefc5d3fa\n"
"trace - 0 8f52f3584a7132be\nSUBMIT held 3 9fb04eb00195d1ac\nbuffer - 0 f6f3b2277309143f\n"
"trace - 0 2ebd722e0e9e6fb4\n",
"world 6 kill 0\npopulate - 0 4381a86bd40d84a2\ntrace - 0 ad5713f51667c9cd\nbuffer - 0 9dbfdf8a973a6505\n"
"buffer - 0 3aefad9045f259e7\nSUBMIT - 0 203d308f21e3a661\ntouch - 0 8bb78f866b51c641\n"
"knob - 0 3e32f4332e8d40ca\nSUBMIT beside 0 a9b58da5fa28ac54\nbuffer - 0 fb633c7162478ba8\n"
"trace - 0 6dd90a68980488f7\nlocked - 0 847f69c4904469f3\ntouch - 0 d49ee0c0a07a8619\n"
"trace - 0 edb492927afdd002\nSUBMIT held 3 40cf517d4528b339\nbuffer - 0 4c8efc1023039105\n"
"trace - 0 8699e04e3572207\n",
"world 6 kill 0\npopulate - 18 fa16008afe4772f5\nSUBMIT - 0 8962b9e29d4afca1\n"
"GEM_PRIORITY - 0 d358d8136d6e0d71\nbuffer - 24 81a2ebf762a6d523\nGEM_UNLOCK - 0 25feb708155fd46c\n"
"SUBMIT kernel 39 5cde9d1c9e67a59d\nbuffer beside 15 34495c6908196cf1\n",
"world 1 kill 0\npopulate - 1 edf846dbd81ed07e\nbus held 10 a879a29b05b315e\nknob - 0 35ee8d97c684d172\n"
"CTX_CREATE - 0 738f62783913adf1\n",
"world 2 kill 0\npopulate - 0 779e6e65ce038150\ntrace - 0 5dd1702a52c9b40d\nbuffer - 0 e9c0cef4f884203f\n"
"SUBMIT - 0 9e93cd33ec4edd58\ntouch - 0 b1c7a0976044572d\nESCAPE beside 21 e8d9255cc915dff1\n"
"SUBMIT beside 0 a566be8151f2ed16\nbuffer - 0 f99a8ee465f5c7f8\nbuffer - 0 88e403eb3fe62365\n"
"locked - 0 287ef499cb1ed1bd\ntouch - 0 d3e3800fefc5d3fa\ntrace - 0 8f52f3584a7132be\n"
"SUBMIT interrupt 21 b52c41196b4e2d9\nbuffer - 0 f6f3b2277309143f\ntrace - 0 2ebd722e0e9e6fb4\n"
"SUBMIT - 0 9e93cd33ec4edd58\n",
"world 2 kill 0\npopulate - 0 779e6e65ce038150\ntrace - 0 5dd1702a52c9b40d\nbuffer - 0 29bc6792a8c428df\n"
"buffer - 0 e9c0cef4f884203f\nimport held 16 bcd2144b4b413e4\ntouch - 0 b1c7a0976044572d\n"
"ESCAPE beside 21 e8d9255cc915dff1\nSUBMIT beside 0 a566be8151f2ed16\nbuffer - 0 f99a8ee465f5c7f8\n"
"trace - 0 bab3c63e7ced7c4c\nlocked - 0 287ef499cb1ed1bd\ntouch - 0 d3e3800fefc5d3fa\n"
"trace - 0 8f52f3584a7132be\nSUBMIT held 3 9fb04eb00195d1ac\nbuffer - 0 f6f3b2277309143f\n"
"trace - 0 2ebd722e0e9e6fb4\n",
"world 4 kill 0\npopulate - 0 3dfd97a218fb3425\nmap held 24 65d1ed083cacf4b8\nunmap - 0 501b5e3caa0c4639\n"
"locked - 0 1120b9f50ade1f6\nperf - 0 8199dfedb751d12\ndmabuf beside 14 c803772bf8d025d7\n"
"trace - 0 d18f6d7863b572b2\ntouch - 0 8d1145d0f49ea4cf\nGEM_CREATE kernel 42 1c53b8e425baf1a8\n",
"world 6 kill 0\nSUBMIT - 0 2b27d05cdb4b5f7a\npopulate - 18 fa16008afe4772f5\nSUBMIT - 0 8962b9e29d4afca1\n"
"SUBMIT site 14 e123e9e0cd7fce4c\nGEM_UNLOCK - 0 25feb708155fd46c\nsyncobj - 0 c08a1a2e91469d2f\n"
"buffer beside 15 34495c6908196cf1\npopulate - 18 fa16008afe4772f5\n",
"world 2 kill 0\npopulate - 0 ded773c7ab935923\ntrace - 0 72346c38e3b71827\nbuffer - 0 c8ae360c727b5109\n"
"buffer - 0 6148e544d4cd6c70\nSUBMIT - 0 13939704cbcd2231\ntouch - 0 6d29e99b844593c9\n"
"knob - 0 4dafab5e788edb0f\nSUBMIT beside 0 d10844c1b4a6fbe1\nbuffer - 0 f0d35d2268b86705\n"
"trace - 0 3130708515ff90ee\nlocked site 1 ae2041fabf1baa5e\ntouch - 0 738c3585440cc2d6\n"
"trace - 0 b8fe1ac77cd78c3c\nSUBMIT held 3 f70f14c2c8b62470\nbuffer - 0 4bf193f2c10966f\n"
"trace - 0 89b695fe05997e18\n",
"world 7 kill 0\npopulate - 0 8f9e9cce3d868039\nbuffer - 0 1383e3f9286660c\nSUBMIT - 0 ce1a0c0ac952b37f\n"
"map - 0 62fdd18891a46fe9\ntouch - 0 c29ef810302a59d8\nbuffer - 0 dadd63b2534471e4\n"
"touch - 0 86bb77ae618e86cc\nlocked - 0 27a05c970e1abc0\ntouch - 0 d849693265c34b6d\n"
"close-bo - 0 87e1e380ff5d8170\nbuffer - 0 d99bcf748d123126\nfdinfo - 0 22e20f19a97dc15b\n"
"debugfs - 0 3bd3503fb7642ecb\ndebugfs - 0 8b3eb7b6a5281e38\nreopen - 0 be2d4fb1ce2560b0\n"
"populate - 0 459b35dd5f4a1342\n",
"world 6 kill 0\npopulate - 23 1e9a6dd9a4268ffa\nGEM_LOCK - 0 7059b637f05fff06\nESCAPE - 9 83c36a173b064bb3\n"
"touch - 0 c23b4d07f31ba13c\nremap kernel 16 42e2f488e51ba38f\nbuffer beside 11 f117a871e09f83bb\n"
"SUBMIT - 0 9747750b84f1ffbd\nmap held 4 9eb814e474f98df6\nSUBMIT - 0 269877115e05f632\n"
"wait site 17 b7bff652fccf5e7f\nconfigfs beside 22 78cbcac68a61a90\nbuffer - 0 e4fd31a3238f00b4\n"
"bus - 0 703f4079352287c9\nreopen - 0 353acbe7e6fdb35d\ndebugfs - 0 6ec1b703fcafea62\n"
"SUBMIT - 0 18aed5358ed702eb\n",
"world 0 kill 0\npopulate site 1 903c2ac9316774fe\ntrace - 0 b313fc7e8db9b92c\nbuffer - 0 ba98666ace1c9c17\n"
"SUBMIT - 0 1604f6db25f72d6f\nSUBMIT - 0 9c2c0ac2cda95957\ntouch - 0 168e5087af895f5b\n"
"knob - 0 6cb9185ed822e2f9\nSUBMIT beside 0 fd80206055e8b3eb\nbuffer - 0 5cb53ec017d7ab26\n"
"trace - 0 68f22599ccdf540b\nlocked - 0 401fe4fcce06294d\ntouch - 0 b31a5bf371f970cf\n"
"trace - 0 c16cf5c51801fd9a\nSUBMIT held 3 b3642b1932793637\nbuffer - 0 cbe19514a28a0aaa\n"
"trace - 0 18f918e24a8b0188\n",
"world 5 kill 0\npopulate - 0 8f98450b18269197\nbuffer - 0 b65edd439ca84742\nSUBMIT - 0 dcff5009df814ebd\n"
"SUBMIT beside 4 bf6ffec70107e695\nfdinfo interrupt 7 d45ec8c813430175\nSUBMIT - 0 c8e5f08c544b67de\n"
"touch held 2 1e95a430b3caa9f6\n",
"world 8 kill 0\npopulate - 22 a701036c9621cead\nGEM_CREATE beside 4 bd728ca847f2adc5\n"
"SUBMIT - 9 42ba60d2133a87ec\nESCAPE - 0 ba1c8da514b62ca5\nCTX_DESTROY - 0 a506ec1bdbb894ff\n"
"bus - 0 78dd9641662d974f\nbus - 24 f40da7a6a203a206\nRECORD - 0 2ed429d35b298646\nwait - 0 27c9cb41b2cabba9\n"
"SUBMIT - 0 ddcb42ba14c98e2d\nGEM_CREATE - 0 31b7913995e4bae0\ntouch - 0 56b29e1f74e89dbd\n"
"buffer - 0 dc8a811e1031277c\ndebugfs - 0 ce4f6e5fb52d3194\n",
"world 4 kill 0\nimport - 0 82af8999f39c3b2f\nbuffer - 0 14a03569d26b9496\nSUBMIT - 0 c320a4737c2b3abe\n"
"map - 0 96d373742f9a039\ntouch - 0 254499c7001d9a88\nbuffer - 0 9623d7cfa9ae7a34\ntouch - 0 f72c2c2678629522\n"
"locked - 0 bc1e3ac1c27db4ec\ntouch - 0 51c342505f877031\nclose-bo - 0 59a91e1c527e279\n"
"buffer - 0 7d24b39645cf8aa4\nfdinfo - 0 32b7228fcd4a5557\ndebugfs - 0 df5ca32ebad5ccc2\n"
"debugfs - 0 e91b4ad169fc5360\nreopen - 0 8a0c510089ce5ef7\npopulate - 0 181e290aae9af169\n",
"world 1 kill 0\npopulate - 0 d9ba86a3ba25a311\nGEM_CREATE interrupt 12 a3932401c1ae656e\n"
"SUBMIT - 0 79ee3a2ee6b829ed\nSUBMIT - 0 1604f6db25f72d6f\nlocked - 0 7541834a394fe16a\n",
"world 9 kill 0\npopulate - 0 b4094466959e9405\nbuffer kernel 43 c317e54cd59a58f7\n"
"syncobj - 0 edbad6c4b83fb137\nGEM_INFO held 15 a5d75a9d15b2ff65\nRECORD held 20 de4f704f45746cb9\n"
"ESCAPE interrupt 4 22fb0594c24b68c7\nGEM_SURFACE held 18 e5293b6de52941fd\nimport - 0 ae2b00b5e846662\n"
"touch - 13 a17fd33045df9f5e\nsyncobj held 23 a8f6aab87c81b5d1\nGEM_LOCK held 3 4f09db4bdd99497e\n"
"poke - 0 cb262c2b51ed79c4\ntouch - 0 9a3eccdcdddc489a\nGEM_INFO beside 2 95a55b95529ef8f2\n"
"CTX_CREATE - 0 fc9283417906bd14\n",
"world 2 kill 0\npopulate - 0 d9ba86a3ba25a311\nSUBMIT - 0 e33479dd8f7694c0\nSUBMIT - 0 1604f6db25f72d6f\n"
"locked - 0 7541834a394fe16a\n",
"world 3 kill 0\npopulate - 0 24e7c3883ec663e9\nlocked interrupt 20 7b20b69b56bb0c8d\n"
"locked - 0 159fe75bed2ee65f\nSUBMIT - 0 296c31381b34b556\nESCAPE - 0 b81bcb8a10a0419d\n"
"populate - 0 f6fa0f34ee474866\nGEM_SURFACE - 0 f83f7c1f18f1e011\nSUBMIT interrupt 13 1f51f4921b0afb7\n"
"GEM_INFO - 0 f0f33001e2c7927b\ndumb - 0 ed7077fe5e943934\n",
"world 3 kill 0\npopulate - 0 c3bfeff5f1c381ec\nGEM_CREATE held 22 b493e5f0f594cc66\n"
"SUBMIT held 18 7d49f07a6259a4ea\nSUBMIT - 0 ef43cc6056d9e4a6\nSUBMIT - 0 e359a13aadb96616\n"
"dmabuf - 0 500f303019ff9e15\nSUBMIT interrupt 1 3dbd0ea1a442a3f\nbuffer - 0 194266eaa54fce0f\n"
"GEM_UNLOCK - 0 c6f61960edeec026\ntrace held 9 65b65808b355e48f\nfence site 3 1f200dc424a63f9a\n"
"dumb - 0 845cd32a6a723235\ndebugfs - 0 6e946cce04184920\nlocked interrupt 18 e5c5ad7c28880b3\n",
"world 6 kill 0\npopulate - 0 d9ba86a3ba25a311\nGEM_CREATE interrupt 12 a3932401c1ae656e\n"
"SUBMIT - 0 6be35d0c12fff170\nSUBMIT interrupt 2 16201b452d5c7586\nSUBMIT - 0 1604f6db25f72d6f\n"
"locked - 0 7541834a394fe16a\n",
"world 8 kill 0\npopulate - 0 8c6d041ea1194cc8\nGEM_SURFACE - 0 3e8cad22ce0f35ec\nQUERY - 0 c414178e54c642ba\n"
"buffer - 0 ab14f3d791c736c4\nGEM_CREATE - 0 5bcf47175f7e835d\nSUBMIT interrupt 20 f9fcdecda132428c\n",
"world 2 kill 0\npopulate - 0 779e6e65ce038150\ntrace - 0 5dd1702a52c9b40d\nbuffer - 0 29bc6792a8c428df\n"
"buffer - 0 e9c0cef4f884203f\nimport held 16 bcd2144b4b413e4\ntouch - 0 b1c7a0976044572d\n"
"ESCAPE beside 21 e8d9255cc915dff1\nbuffer - 0 f99a8ee465f5c7f8\nGEM_UNLOCK - 0 2a28c299c2655846\n"
"locked - 0 287ef499cb1ed1bd\ntouch - 0 d3e3800fefc5d3fa\ntrace - 0 8f52f3584a7132be\n"
"SUBMIT held 3 9fb04eb00195d1ac\nbuffer - 0 f6f3b2277309143f\ntrace - 0 2ebd722e0e9e6fb4\n",
"world 1 kill 0\npopulate - 0 c7bc0499fbecc675\nfence interrupt 20 11db1f8fd3305d19\n"
"dmabuf - 0 a94a7db8528f828b\nlocked interrupt 8 4c192dcc9ee5d82d\nGEM_LOCK - 0 7881c85f75ef6d46\n"
"SUBMIT interrupt 1 66246d0989d41877\nSUBMIT kernel 30 45c90dc37a3235fb\nESCAPE held 14 148e88aafec497ab\n"
"RECORD beside 10 5366d85ad800a495\ndebugfs - 0 e58e093ecc8d4037\nSUBMIT beside 1 915d9f9bb4e5d523\n"
"GEM_CREATE beside 13 3b1ae5668b047570\n",
"world 6 kill 0\nSUBMIT - 0 2b27d05cdb4b5f7a\npopulate - 18 fa16008afe4772f5\nGEM_CREATE - 0 4ea402ed7607124c\n"
"SUBMIT - 0 8962b9e29d4afca1\nSUBMIT site 14 e123e9e0cd7fce4c\nunmap - 0 a8ba0fbfec8c1615\n"
"syncobj - 0 c08a1a2e91469d2f\nbuffer beside 15 34495c6908196cf1\npopulate - 18 fa16008afe4772f5\n",
"world 1 kill 0\npopulate - 0 90eec3771936cf38\nremap - 0 fa3503076e37a967\nSUBMIT - 0 60deac7a639703fe\n"
"CTX_CREATE interrupt 20 466a6b5fc2220ab9\nmap - 16 24a84e252fe21fd2\nSUBMIT - 0 b682990dfbfa483f\n"
"SUBMIT held 16 d5b6fce6c70dbbe4\nSUBMIT - 1 f8130ba9980e4170\n",
"world 6 kill 0\npopulate - 0 49089afe2ec2274b\nGEM_PRIORITY - 0 7e249e01491126e2\n"
"GEM_CREATE - 0 de79b9e0041e8bd2\nbuffer - 0 3cac6d1aadff5b0f\nCTX_QUERY - 0 d4b5e89d76154d65\n"
"SUBMIT beside 9 a6fa1655f0f9eb3a\nCTX_CREATE site 19 6006b4b0f539a195\npoke - 0 877c34b59253ce68\n"
"knob - 0 1e34adb5132d1ac5\nSUBMIT - 0 e247a50c846e5542\ndebugfs beside 6 102315764a79aafb\n",
"world 7 kill 0\npopulate - 0 8f9e9cce3d868039\nbuffer - 0 1383e3f9286660c\nSUBMIT - 0 ce1a0c0ac952b37f\n"
"map - 0 62fdd18891a46fe9\ntouch - 0 c29ef810302a59d8\nbuffer - 0 dadd63b2534471e4\n"
"touch - 0 86bb77ae618e86cc\nlocked - 0 27a05c970e1abc0\ntouch - 0 d849693265c34b6d\n"
"close-bo - 0 87e1e380ff5d8170\nbuffer - 0 d99bcf748d123126\nfdinfo - 0 22e20f19a97dc15b\n"
"GEM_MMAP_OFFSET - 0 d2aa521a83b137b3\nreopen - 0 be2d4fb1ce2560b0\npopulate - 0 459b35dd5f4a1342\n"
"touch - 0 86bb77ae618e86cc\n",
"world 7 kill 0\npopulate - 0 e5b1b390f13741e3\nSUBMIT beside 15 bb55d729eabbca7\nRECORD - 0 798305e86e1b8310\n"
"GEM_CREATE - 0 fabcc6b03d84da81\nbuffer - 0 6d03d69f53504855\nESCAPE held 9 7430917795c9b797\n"
"dmabuf - 23 57f52c22eed6d8c6\nclose-bo kernel 57 bb499e46d944c31b\nSUBMIT - 0 79ee3a2ee6b829ed\n",
"world 6 kill 0\npopulate - 7 2c542082f01ba660\nSUBMIT kernel 53 8274f638c9a0c8f0\n"
"SUBMIT - 0 890ce37286186a79\nknob - 13 9c2f9e868d86b543\nSUBMIT - 0 72946cb5fe2847d2\n"
"GEM_MMAP_OFFSET - 0 2e8ff5424b2dba6f\ndebugfs - 0 6f839c56e1893826\nGEM_CREATE - 0 9b3fac09d323a2c3\n"
"SUBMIT held 15 170f11abbb72939f\nSUBMIT kernel 37 6bd37e98ddc08969\nhooks - 0 f77eebc6da360946\n"
"SUBMIT - 5 4fcdd8729c7246b6\nRECORD held 11 f3dd0297c7640012\nSUBMIT - 0 558bc92ac65d82dc\n",
"world 1 kill 0\npopulate - 0 2fa109c2fc265d1b\nRECORD kernel 54 a1ab9cea91055af\n"
"GEM_CREATE - 0 71208815b122fd7b\nSUBMIT - 0 75bd49585fdd4072\ntrace - 0 66ab16e89c47a09\n"
"touch - 0 df136327665c0e6b\nSUBMIT - 0 26b1bccc7c2dd9bb\nunmap - 0 fccb096970c646e7\n"
"poke kernel 42 6c785a4435be84ab\nSUBMIT - 0 7a1b55c431e5fec5\nunmap held 16 ec9fe1a7f5899d9b\n"
"poke - 0 2cb70be3d65a328b\nGEM_PRIORITY - 0 2069dff58aadcdd5\nGEM_LOCK - 0 dfe1b74e5ae86371\n",
"world 4 kill 0\npopulate - 0 57c77d1d2f8de594\nGEM_CREATE site 14 3a88a90cb40e510f\n"
"RECORD - 19 dfb82a09f610b5bc\nCTX_DESTROY - 5 3adf4b594cda44e2\nGEM_INFO - 0 f73fb4500002f810\n"
"SUBMIT - 0 1ce30981f4117915\nSUBMIT beside 3 8f533c79c40e651\nGEM_PRIORITY - 18 7dfd15e0048f6076\n"
"wait beside 12 8508caae695b326c\nGEM_CREATE - 0 4fdabf88c55fa62a\nSUBMIT held 18 a2e442243496dc96\n"
"fence - 0 9ad6395b12613886\nCTX_DESTROY held 1 5c0b64be8de8ffce\n",
"world 6 kill 0\npopulate - 23 1e9a6dd9a4268ffa\nGEM_LOCK - 0 7059b637f05fff06\nESCAPE - 9 1b4e9a4640806fc5\n"
"touch - 0 c23b4d07f31ba13c\nremap kernel 16 42e2f488e51ba38f\nbuffer beside 11 f117a871e09f83bb\n"
"SUBMIT - 0 9747750b84f1ffbd\nmap held 4 9eb814e474f98df6\nSUBMIT - 0 269877115e05f632\n"
"wait site 17 b7bff652fccf5e7f\nconfigfs beside 22 78cbcac68a61a90\nbuffer - 0 e4fd31a3238f00b4\n"
"bus - 0 703f4079352287c9\nreopen - 0 353acbe7e6fdb35d\ndebugfs - 0 6ec1b703fcafea62\n"
"SUBMIT - 0 18aed5358ed702eb\n",
"world 8 kill 0\npopulate - 0 29ca77c175af09cf\nunmap - 0 17b3224b8383a805\ndumb - 0 ad2896c353b06ae1\n"
"bus site 1 f7c9bc11c48c76a9\nimport - 0 c7e5ffdafe5bb1f9\nSUBMIT - 0 26152e29ac8d8ae9\n"
"GEM_INFO - 14 cddb78a35cd20b18\nbuffer interrupt 2 d903c9cc0a31ea16\nSUBMIT - 0 f700ab7400253f72\n"
"GEM_MMAP_OFFSET - 0 a218ca3600f2e3d4\ndebugfs - 0 3cf1f35c7fdaa4ed\nSUBMIT - 0 1a072912ae24ccd0\n"
"SUBMIT - 0 1bd70f2a55842a39\nconfigfs kernel 48 269161a51cb216bd\n",
"world 7 kill 0\npopulate - 0 d9ba86a3ba25a311\nGEM_CREATE interrupt 12 a3932401c1ae656e\n"
"SUBMIT - 0 fc6758d7f67377f4\nSUBMIT - 0 1604f6db25f72d6f\nlocked - 0 7541834a394fe16a\n",
"world 7 kill 0\npopulate - 0 a1708b1e54561ecb\nGEM_UNLOCK beside 17 75242129a173d7ec\n"
"SUBMIT - 0 106cab4be9f720fb\ntouch - 0 dcf5d2749aac1fc8\ntouch - 0 36dce50dc2493b98\n",
"world 9 kill 0\npopulate - 0 7fe15a35ff65c2aa\nSUBMIT - 14 afe689e8b0726439\n"
"SUBMIT beside 20 33374fec5cd0602a\nSUBMIT - 0 fb4d1e0dde096a7\nSUBMIT beside 9 e782eb20996faa29\n"
"knob - 0 c3d0ebf0dbcf4633\nsyncobj kernel 6 2b72585339b0faec\nCTX_CREATE - 0 36654b6fd0c25700\n"
"SUBMIT held 11 e710656c24c4bd07\nsyncobj site 18 5cc49c8880557e7b\nSUBMIT - 0 1dfcdb74081b395\n"
"GEM_PRIORITY interrupt 4 d5ab007519c8b64d\n",
"world 2 kill 0\npopulate - 0 8ec86d6c5539b994\nbuffer - 0 abddfcd9e7893d2b\nSUBMIT - 0 9e5dc5989ec9b42f\n"
"map - 0 5fe7e49d4e5e2d41\ntouch - 0 8701f8ad609d99cc\nbuffer interrupt 1 b95bb00cd1d0c240\n"
"touch - 0 adc1383d20783d88\nlocked - 0 7d1f3b5cfff80b3b\ntouch - 0 2f7307300dc749b0\n"
"close-bo - 0 980bcb4c6c426e40\nbuffer - 0 ff9264ffbf0e5eee\nfdinfo - 0 18923f6565d3e198\n"
"debugfs - 0 70f5fafefb2114c0\ndebugfs - 0 ce400e5a3eccb44d\nreopen - 0 16cc725cfab0861c\n"
"populate - 0 9a6a1942e46af459\n",
"world 6 kill 0\npopulate - 15 b80941ba5bad6823\nESCAPE interrupt 17 60e2add9a84e5c48\n"
"GEM_LOCK beside 21 1a5c7bb168200ab9\nCTX_CREATE - 0 ea0b333361839cb0\npoke - 0 c9643680eb0d194f\n"
"SUBMIT - 0 ea297dc8f780370c\nESCAPE - 0 28dc4816f0f22056\nSUBMIT beside 2 85e08187906dec59\n"
"GEM_LOCK - 0 f4747df80152fa34\nSUBMIT - 0 febb6109fa8676b3\nGEM_CREATE - 0 57bfd2cb433e52c0\n"
"SUBMIT kernel 28 117995dfb60e56a\nGEM_CREATE kernel 23 a435babcf04b3112\n",
"world 0 kill 0\npopulate - 23 ade60527f693fb0\nSUBMIT kernel 51 f453766631100288\nknob - 0 a1831d52f8852cad\n"
"close-bo - 0 e338245859128061\nGEM_LOCK kernel 8 68c7105d52c78a97\nESCAPE held 16 88454551bd40a3b5\n"
"populate interrupt 17 80695f68826c3634\nSUBMIT kernel 42 428236e53af491ee\nSUBMIT - 0 5d3181194b26b4da\n"
"ESCAPE site 11 38e05684ec57fbaf\nperf - 0 3514010b76b5d168\nsyncobj site 10 78cc3d2117e8b351\n"
"GEM_SURFACE site 2 ea082a5712a1e7d7\n",
"world 3 kill 0\npopulate - 0 86ef45693117ce75\nimport - 0 eedd9da6ee97a6f8\n"
"locked interrupt 20 7b20b69b56bb0c8d\nlocked - 0 f92b2e1221657ae6\nSUBMIT - 0 296c31381b34b556\n"
"ESCAPE - 0 b81bcb8a10a0419d\npopulate - 0 f6fa0f34ee474866\nGEM_SURFACE - 0 f83f7c1f18f1e011\n"
"SUBMIT interrupt 13 1f51f4921b0afb7\nGEM_INFO - 0 f0f33001e2c7927b\ndumb - 0 ed7077fe5e943934\n",
"world 2 kill 0\npopulate - 1 26760fc2d4708eb3\ndebugfs - 0 ef419686e4837641\nSUBMIT site 10 7f7553474846d2b5\n"
"hooks - 0 69e352163deb7bb0\nSUBMIT beside 15 50ab4a23cc2fc0a5\nunmap - 0 55a0f957bd5ef4d\n"
"SUBMIT - 0 9920fa0098f49ab2\nhooks - 9 48b0a9ef883655a7\nbuffer - 0 122d63461f2e46a\n"
"GEM_SURFACE - 0 b69f0ad200e29a3a\nremap - 0 347abb9aaae118d\nGEM_MMAP_OFFSET kernel 4 386f2b2e87bb8b12\n",
"world 9 kill 0\npopulate - 10 1ddc7930c2ff7598\nGEM_LOCK - 0 2ec2bf06837caa5e\n"
"SUBMIT site 12 6a96df12b39de7ee\nSUBMIT interrupt 8 65d30b667f5cd5ae\nremap - 0 6bcba1b8e50453b2\n"
"GEM_LOCK - 0 85a5eadc388911dc\nSUBMIT kernel 15 ecb35828d0b17457\nbus - 0 4f22577c9feada01\n"
"GEM_CREATE - 0 7a23c4ed39617262\ndumb - 0 b2c62ba25f7c0490\n",
"world 0 kill 0\npopulate - 18 fa16008afe4772f5\nGEM_CREATE - 0 4ea402ed7607124c\nSUBMIT - 0 8962b9e29d4afca1\n"
"SUBMIT site 14 e123e9e0cd7fce4c\nunmap - 0 a8ba0fbfec8c1615\nsyncobj - 0 c08a1a2e91469d2f\n"
"buffer beside 15 34495c6908196cf1\npopulate - 18 fa16008afe4772f5\n",
"world 7 kill 0\npopulate - 0 e79ec4a101596012\nexport beside 20 9e23953e366de5c9\nSUBMIT - 0 eafe6e4cd7f9bdf\n"
"touch - 0 236ab554d555eef6\nSUBMIT - 0 83af52dd98c6d8f4\nESCAPE site 9 58786ad1fe7efd59\n"
"GEM_CREATE - 0 1c19a1ea6147f3fa\nSUBMIT kernel 4 ab638e3abcd8aab6\nbuffer interrupt 17 64d19a46833b5fec\n"
"GEM_MMAP_OFFSET - 0 8075e787ca06d92\nSUBMIT site 24 37835309677e67a5\n",
"world 0 kill 0\npopulate - 23 ade60527f693fb0\nSUBMIT kernel 51 f453766631100288\nknob - 0 a1831d52f8852cad\n"
"close-bo - 0 e338245859128061\nGEM_LOCK kernel 8 68c7105d52c78a97\nESCAPE held 16 88454551bd40a3b5\n"
"populate interrupt 17 80695f68826c3634\nSUBMIT kernel 42 428236e53af491ee\nSUBMIT - 0 5d3181194b26b4da\n"
"ESCAPE site 11 38e05684ec57fbaf\nperf - 0 3514010b76b5d168\nsyncobj site 10 78cc3d2117e8b351\n"
"GEM_SURFACE site 3 f7ed40a4653b86bd\n",
"world 6 kill 0\npopulate - 34 3c759684c86a6f44\ntrace - 0 5f734d34aaa4f9ce\ndebugfs - 0 64553ebc8db2ca49\n"
"SUBMIT - 0 e4bef91ccda323b7\nESCAPE beside 14 f4e450e34b5e6091\nbuffer site 10 99bf1a7f2591b0d3\n"
"RECORD - 0 e3d750260ef0cfee\nSUBMIT - 0 6e8bba7fe9068da\nSUBMIT kernel 51 8c0b816f4f72c8d5\n"
"GEM_CREATE beside 1 d2d9259ca7a5869\nunmap interrupt 21 346ba55447de1f0e\n"
"ESCAPE interrupt 8 dc73c6254b5213cd\nSUBMIT - 0 1c897c395e1f180a\nGEM_UNLOCK - 0 9a31d3801a29ff87\n"
"buffer beside 14 52d8b8c10e49f232\nCTX_CREATE held 11 aed29e1fa5b7b5e2\n",
"world 4 kill 0\npopulate - 0 11763cb59149657a\nSUBMIT beside 11 5793483c4734546a\n"
"GEM_INFO kernel 38 ea9be27e42d638c1\nfence - 2 c037a9148bd8da01\nESCAPE kernel 31 70b3cd7da0904254\n"
"SUBMIT - 0 7c1373e4ad3ab\nSUBMIT - 0 19f6db1059f91002\nCTX_QUERY - 0 72978dfec3a30aaa\n"
"RECORD - 0 cb52d2961b92acd2\nGEM_PRIORITY site 22 23f4c2c2093530a5\nGEM_CREATE kernel 50 4dfba9b0fcf0a622\n"
"close-bo interrupt 2 6e76728e30a9bbf7\nSUBMIT site 3 dbb713f015db5ffb\n",
"world 1 kill 0\npopulate - 11 47164df068991b6c\ntouch held 6 65b68ecec9004d1d\n"
"buffer site 14 811495d95f35fbc6\nSUBMIT interrupt 15 e4890b50d1e83ade\ntrace - 0 9f4c891e372cb9b\n"
"SUBMIT - 0 1d24790388501965\nSUBMIT beside 18 941190d5da67e022\ntrace - 0 8b8e76ac2c125c09\n"
"unmap interrupt 8 49395d1d5724debe\nSUBMIT site 17 ad866f7a670317b2\ntouch - 0 b330bd22013c46fa\n"
"RECORD - 0 fb2df7da3b19a6f\nGEM_PRIORITY kernel 20 45d4251ac9bc0b70\n",
"world 4 kill 0\nGEM_CREATE interrupt 12 a3932401c1ae656e\npopulate - 0 779e6e65ce038150\n"
"SUBMIT - 0 79ee3a2ee6b829ed\nGEM_LOCK - 0 c5948982842f6bcc\nlocked - 0 7541834a394fe16a\n",
"world 6 kill 0\npopulate - 34 3c759684c86a6f44\ntrace - 0 5f734d34aaa4f9ce\ndebugfs - 0 64553ebc8db2ca49\n"
"SUBMIT - 0 e4bef91ccda323b7\nESCAPE beside 14 f4e450e34b5e6091\nbuffer site 10 99bf1a7f2591b0d3\n"
"RECORD - 0 e3d750260ef0cfee\nSUBMIT - 0 6e8bba7fe9068da\nSUBMIT kernel 51 8c0b816f4f72c8d5\n"
"GEM_CREATE beside 1 d2d9259ca7a5869\nESCAPE interrupt 8 dc73c6254b5213cd\nSUBMIT - 0 1c897c395e1f180a\n"
"populate - 18 fa16008afe4772f5\nbuffer beside 14 52d8b8c10e49f232\nCTX_CREATE held 11 aed29e1fa5b7b5e2\n"
"trace - 0 5f734d34aaa4f9ce\n",
"world 2 kill 0\npopulate - 9 873efa44f3b5b91a\nfdinfo - 0 cdd4a6b79e3fd3c4\nSUBMIT - 0 6085b387771c8285\n"
"SUBMIT - 0 918e51ce2bf6d19\nSUBMIT - 0 f75904263958fe96\nexport - 0 1d96da63ea3f832\n"
"wait - 0 e2aa9882739d77d0\nlocked interrupt 1 804e5981f6a2e34e\nSUBMIT - 0 8601d2e1f7c178a6\n"
"configfs - 0 ac217b6ecc6c8b96\nSUBMIT - 0 caee8de41228b9cc\npoke - 0 739978983fce7bb6\n",
"world 8 kill 0\npopulate - 10 1ddc7930c2ff7598\nGEM_LOCK - 0 2ec2bf06837caa5e\n"
"SUBMIT site 12 6a96df12b39de7ee\nSUBMIT interrupt 8 eeb3ecb26c58d617\nremap - 0 6bcba1b8e50453b2\n"
"GEM_LOCK - 0 85a5eadc388911dc\nSUBMIT kernel 15 ecb35828d0b17457\nbus - 0 4f22577c9feada01\n"
"GEM_CREATE - 0 7a23c4ed39617262\ndumb - 0 b2c62ba25f7c0490\n",
"world 9 kill 0\npopulate - 0 ad8b37a7941d9b5a\nSUBMIT - 0 633b4e69a3b7b0e4\ntouch beside 8 6c0ff38449e14711\n"
"buffer - 0 c075ccba9440127b\nGEM_LOCK site 12 828d26934129889a\nSUBMIT - 2 cfd4c88ce141ab02\n"
"SUBMIT - 0 37cbc3ea2dd9c09f\nSUBMIT beside 24 5aba681668c73587\nSUBMIT - 0 b418d34e7381e101\n"
"SUBMIT kernel 7 a6a09bc37c40cfb1\nSUBMIT - 0 d16a39ba36e005d8\nGEM_CREATE - 0 3dd8351cf6a9ac7e\n"
"fdinfo - 0 2cb5846384315b1\ndmabuf - 1 5e699ad69616bb97\nSUBMIT - 2 845a40dba9c7cda2\n",
"world 0 kill 0\npopulate - 23 ade60527f693fb0\nSUBMIT kernel 51 f453766631100288\nknob - 0 a1831d52f8852cad\n"
"ESCAPE - 0 d5bc1f68abb80cf6\nGEM_LOCK kernel 8 68c7105d52c78a97\nESCAPE held 16 88454551bd40a3b5\n"
"populate interrupt 17 80695f68826c3634\nSUBMIT kernel 42 428236e53af491ee\nSUBMIT - 0 5d3181194b26b4da\n"
"ESCAPE site 11 38e05684ec57fbaf\nperf - 0 3514010b76b5d168\nsyncobj site 10 78cc3d2117e8b351\n"
"GEM_SURFACE site 3 f7ed40a4653b86bd\n",
"world 6 kill 0\npopulate - 0 2f65f56eaaa3a20c\ntrace - 0 263fbb4df8fb2f26\nbuffer - 0 b0b3f6cb2a04548a\n"
"buffer - 0 22639415a01e70b7\nSUBMIT - 0 1303b035627b9e1c\ntouch - 0 32305e60fa21a5a\n"
"knob - 0 78e275cc0a3503c6\nSUBMIT beside 0 f2981d7c24b91e4\nbuffer - 0 a69f435d1d55eb77\n"
"trace - 0 8a4f8970b6070940\nlocked - 0 ac799e0d19a32fa8\ntouch - 0 987a878a5e1c0ad1\n"
"trace - 0 f541b26083d01f9\nSUBMIT held 3 398bbb8b8af20d12\nbuffer - 0 6826f236c9520579\n"
"trace - 0 c37e2d9239bf7f90\n",
"world 2 kill 0\npopulate - 0 ded773c7ab935923\ntrace - 0 72346c38e3b71827\nbuffer - 0 c8ae360c727b5109\n"
"buffer - 0 6148e544d4cd6c70\nSUBMIT - 0 13939704cbcd2231\ntouch - 0 6d29e99b844593c9\n"
"SUBMIT beside 11 5793483c4734546a\nSUBMIT beside 0 d10844c1b4a6fbe1\nbuffer - 0 f0d35d2268b86705\n"
"trace - 0 3130708515ff90ee\nlocked site 1 ae2041fabf1baa5e\ntouch - 0 738c3585440cc2d6\n"
"trace - 0 b8fe1ac77cd78c3c\nSUBMIT held 3 f70f14c2c8b62470\nbuffer - 0 4bf193f2c10966f\n"
"trace - 0 89b695fe05997e18\n",
"world 5 kill 0\npopulate - 0 e5b1b390f13741e3\nSUBMIT beside 15 bb55d729eabbca7\nRECORD - 0 798305e86e1b8310\n"
"GEM_CREATE - 0 fabcc6b03d84da81\nbuffer - 0 6d03d69f53504855\nGEM_CREATE - 0 d982764debd980c1\n"
"dmabuf - 23 57f52c22eed6d8c6\nclose-bo kernel 57 bb499e46d944c31b\nSUBMIT - 0 79ee3a2ee6b829ed\n",
"world 5 kill 0\npopulate - 0 779e6e65ce038150\ntrace - 0 5dd1702a52c9b40d\nbuffer - 0 29bc6792a8c428df\n"
"buffer - 0 e9c0cef4f884203f\nSUBMIT - 0 9e93cd33ec4edd58\ntouch - 0 b1c7a0976044572d\n"
"ESCAPE beside 21 e8d9255cc915dff1\nSUBMIT beside 0 a566be8151f2ed16\npopulate - 0 779e6e65ce038150\n"
"trace - 0 bab3c63e7ced7c4c\ntouch - 0 c29ef810302a59d8\ntouch - 0 d3e3800fefc5d3fa\n"
"trace - 0 8f52f3584a7132be\nSUBMIT held 3 9fb04eb00195d1ac\nbuffer - 0 f6f3b2277309143f\n"
"trace - 0 2ebd722e0e9e6fb4\n",
"world 3 kill 0\npopulate - 0 569e150459ddbdbf\nbuffer - 0 f93c0d9828830469\ntouch - 0 d18fa6f2ba5bd72f\n"
"bus - 0 3e85889ceaaf9cc1\nbuffer - 0 f7114a9c2cd585eb\ntouch - 0 39bf543e2f1cc025\nbus - 0 2020d2fca0fe6942\n"
"poke - 0 7aa4a9b3dc085948\nbuffer - 0 ed79bbd3bd2c3b7a\npopulate - 0 9f51c7c875303ad3\n"
"buffer - 0 b9f8c1161c4a838c\nbuffer - 0 22fe00719d372dfe\nbuffer - 0 f89f6c36749f86e4\n",
"world 3 kill 0\npopulate - 0 c3bfeff5f1c381ec\nGEM_CREATE held 22 b493e5f0f594cc66\n"
"SUBMIT held 18 7d49f07a6259a4ea\nSUBMIT - 0 ef43cc6056d9e4a6\nbuffer - 0 a6ccf85183fb99d9\n"
"dmabuf - 0 500f303019ff9e15\nSUBMIT interrupt 1 3dbd0ea1a442a3f\nbuffer - 0 194266eaa54fce0f\n"
"GEM_UNLOCK - 0 c6f61960edeec026\ntrace held 9 65b65808b355e48f\nfdinfo site 20 f105f0372b3e9376\n"
"SUBMIT - 0 c5322dc583eb330d\nfence site 3 1f200dc424a63f9a\ndumb - 0 845cd32a6a723235\n"
"debugfs - 0 6e946cce04184920\nlocked interrupt 18 e5c5ad7c28880b3\n",
"world 4 kill 0\npopulate - 0 d9ba86a3ba25a311\nSUBMIT - 0 9ff8215d7115da09\nSUBMIT - 0 fc6758d7f67377f4\n"
"SUBMIT - 0 79ee3a2ee6b829ed\nSUBMIT - 0 1604f6db25f72d6f\nlocked - 0 7541834a394fe16a\n",
"world 2 kill 0\npopulate - 23 ade60527f693fb0\nSUBMIT kernel 51 f453766631100288\nknob - 0 a1831d52f8852cad\n"
"GEM_CREATE site 1 30f3b2c74482f90b\nGEM_LOCK kernel 8 68c7105d52c78a97\nESCAPE held 16 88454551bd40a3b5\n"
"populate interrupt 17 80695f68826c3634\nSUBMIT kernel 42 428236e53af491ee\nSUBMIT - 0 5d3181194b26b4da\n"
"ESCAPE site 11 38e05684ec57fbaf\nperf - 0 3514010b76b5d168\nsyncobj site 10 78cc3d2117e8b351\n"
"GEM_SURFACE site 3 f7ed40a4653b86bd\nGEM_LOCK kernel 8 68c7105d52c78a97\n",
"world 9 kill 0\npopulate - 23 ade60527f693fb0\nSUBMIT kernel 51 f453766631100288\nknob - 0 a1831d52f8852cad\n"
"close-bo - 0 e338245859128061\nGEM_LOCK kernel 8 68c7105d52c78a97\nESCAPE held 16 88454551bd40a3b5\n"
"populate interrupt 17 80695f68826c3634\nSUBMIT kernel 42 428236e53af491ee\nSUBMIT - 0 5d3181194b26b4da\n"
"ESCAPE site 11 38e05684ec57fbaf\nperf - 0 3514010b76b5d168\nsyncobj site 10 78cc3d2117e8b351\n"
"GEM_SURFACE site 2 ea082a5712a1e7d7\nbuffer - 0 bf91a49ab4fb71b1\n",
"world 6 kill 0\npopulate - 10 81e5b273e95e4fa1\nfdinfo - 0 191b0bd1fb2ec3ab\nbuffer - 0 8830022fac6a6f73\n"
"import - 2 7a40b584308d2bb7\nSUBMIT - 5 5d3ef5f05c854c9e\nCTX_QUERY - 0 3d2110a4bb73edf9\n"
"SUBMIT site 5 6f244872680bd70f\nESCAPE - 0 a60142dc704e02ab\n",
"world 6 kill 0\npopulate - 19 293309dfc172bdac\ntouch - 0 9d8b370902aab42d\nSUBMIT beside 1 22666618502e121\n"
"perf - 6 7d5a8d25e559457\nSUBMIT - 0 23db5ed5b1de5b1b\nCTX_QUERY kernel 40 12133eeb79085eff\n"
"RECORD - 0 772b98d4dec4b938\nRECORD - 0 5dc8a49b1446e24e\nGEM_INFO site 18 6d3629f8100f4c2f\n"
"ESCAPE site 8 c853cd5bde5ff76d\ntouch - 0 ac4fc56409823d1d\nlocked - 0 406328766c3e4be3\n"
"unmap interrupt 1 d4436c1aa31bc52f\ndumb - 0 e2b41f5420306900\nCTX_QUERY - 0 a84b031b8ad56e70\n",
"world 6 kill 0\npopulate - 23 1e9a6dd9a4268ffa\nGEM_LOCK - 0 9e7eb447dac60dc6\nESCAPE - 9 1b4e9a4640806fc5\n"
"touch - 0 c23b4d07f31ba13c\nremap kernel 16 42e2f488e51ba38f\nbuffer beside 11 f117a871e09f83bb\n"
"SUBMIT - 0 9747750b84f1ffbd\nmap held 4 9eb814e474f98df6\nSUBMIT - 0 269877115e05f632\n"
"wait site 17 b7bff652fccf5e7f\nconfigfs beside 22 78cbcac68a61a90\nbuffer - 0 e4fd31a3238f00b4\n"
"bus - 0 703f4079352287c9\nreopen - 0 353acbe7e6fdb35d\ndebugfs - 0 6ec1b703fcafea62\n"
"SUBMIT - 0 18aed5358ed702eb\n",
"world 9 kill 0\npopulate - 23 ade60527f693fb0\nSUBMIT - 0 876fc433e345ee6f\nknob - 0 a1831d52f8852cad\n"
"close-bo - 0 e338245859128061\nGEM_LOCK kernel 8 68c7105d52c78a97\nESCAPE held 16 88454551bd40a3b5\n"
"populate interrupt 17 80695f68826c3634\nSUBMIT kernel 42 428236e53af491ee\nSUBMIT - 0 5d3181194b26b4da\n"
"ESCAPE site 12 38e05684ec57fbaf\nperf - 0 3514010b76b5d168\nunmap - 0 67faa51eb3273fa1\n"
"GEM_SURFACE site 2 ea082a5712a1e7d7\nbuffer - 0 bf91a49ab4fb71b1\n",
"world 2 kill 0\npopulate - 0 45cc49060ee70945\nGEM_SURFACE - 0 4d750fd2ba374523\n"
"GEM_SURFACE - 0 fb8365f4b3d634e0\nQUERY - 0 5fcdbd86e1ce02ee\nQUERY - 0 b51b560037b73690\n"
"QUERY - 0 2bec1b96ba78cfac\ndumb kernel 1 b34ad6982fb16a\ndumb - 0 d0ad9d101711155b\n"
"ESCAPE - 0 d3e7ac9ee000123f\nESCAPE - 0 93b9990f5b773645\nESCAPE - 0 598ce6e92f57ebb3\n"
"ESCAPE - 0 7a3d8e5e2eeb3dbb\nESCAPE - 0 a3a6aa6aeca1e72a\nbuffer - 0 79c5fc8f3884471d\n"
"RECORD - 0 e3cfb76e6262992a\nCTX_QUERY - 0 9f4e2b598c077faf\n",
"world 3 kill 0\npopulate - 0 c3bfeff5f1c381ec\npopulate - 0 cdd8681f27e7fc97\n"
"SUBMIT held 18 7d49f07a6259a4ea\nSUBMIT - 0 ef43cc6056d9e4a6\nSUBMIT - 0 e359a13aadb96616\n"
"dmabuf - 0 500f303019ff9e15\nSUBMIT interrupt 1 3dbd0ea1a442a3f\nbuffer - 0 194266eaa54fce0f\n"
"GEM_UNLOCK - 0 c6f61960edeec026\ntrace held 9 65b65808b355e48f\nfence site 4 1f200dc424a63f9a\n"
"dumb interrupt 1 845cd32a6a723235\ndebugfs - 0 6e946cce04184920\nlocked interrupt 18 e5c5ad7c28880b3\n",
"world 3 kill 0\npopulate - 11 ec06078e130837a2\nSUBMIT - 0 9ff8215d7115da09\ntouch site 15 dd9694be5a52bc7a\n"
"SUBMIT - 0 13ca862b1bfe1803\nGEM_INFO kernel 41 b88b147543194c31\ntrace kernel 43 f8a1dc0acf0ee520\n"
"SUBMIT - 3 d4d44cf22cc42043\nSUBMIT interrupt 22 c665e1184817334d\nRECORD held 1 ce151d038156d819\n"
"touch - 0 5c68b46cb906a3cd\nwait - 0 92937fe74c57f47d\nSUBMIT - 0 9ff8215d7115da09\n",
"world 2 kill 0\npopulate - 0 2f65f56eaaa3a20c\ntrace - 0 263fbb4df8fb2f26\nbuffer - 0 b0b3f6cb2a04548a\n"
"buffer - 0 22639415a01e70b7\nSUBMIT - 0 1303b035627b9e1c\ntouch - 0 32305e60fa21a5a\n"
"knob - 0 78e275cc0a3503c6\nSUBMIT beside 0 f2981d7c24b91e4\nbuffer - 0 a69f435d1d55eb77\n"
"locked - 0 ac799e0d19a32fa8\ntouch - 0 987a878a5e1c0ad1\nGEM_INFO - 24 5899e2fcf7f2ee74\n"
"SUBMIT held 3 398bbb8b8af20d12\nbuffer - 0 6826f236c9520579\ntrace - 0 c37e2d9239bf7f90\n",
"world 7 kill 0\npopulate - 0 faaa0d460b9a5f43\nGEM_INFO - 0 d5f5e64fbb853d9f\nknob - 0 23d92815e63eb86e\n"
"SUBMIT - 0 38de39510168b662\nGEM_CREATE - 0 9c7507e9905d9d9d\nCTX_QUERY site 4 cf6293b0b906efbd\n"
"SUBMIT - 0 41bcdd63ee61f521\npoke site 11 e8c8b70b75946737\ntrace - 0 9f5e581ff41c7204\n"
"SUBMIT - 0 133a4a78e7ba2aba\ntouch - 0 5a49b4e6937db394\nSUBMIT kernel 29 48285047ce19d9d4\n"
"SUBMIT - 0 97de162afc5867ad\nESCAPE - 0 34dcbccd9fcfae3d\nSUBMIT - 0 4dea61233a6da614\n"
"knob beside 1 6ce1d830152bdd97\n",
"world 9 kill 0\npopulate - 0 ad8b37a7941d9b5a\nSUBMIT - 0 633b4e69a3b7b0e4\ntouch beside 8 6c0ff38449e14711\n"
"buffer - 0 c075ccba9440127b\ntrace interrupt 5 9cc1de4bc84b2c83\nGEM_LOCK site 12 828d26934129889a\n"
"SUBMIT - 2 cfd4c88ce141ab02\nSUBMIT - 0 37cbc3ea2dd9c09f\nSUBMIT beside 24 5aba681668c73587\n"
"SUBMIT site 1 b418d34e7381e101\nSUBMIT kernel 7 a6a09bc37c40cfb1\nSUBMIT - 0 d16a39ba36e005d8\n"
"GEM_CREATE - 0 3dd8351cf6a9ac7e\nfdinfo - 0 2cb5846384315b1\ndmabuf - 1 5e699ad69616bb97\n"
"SUBMIT - 2 845a40dba9c7cda2\n",
"world 0 kill 0\npopulate - 13 814a19ad6b8cdb56\nbuffer - 0 2ea8266d58ec80d3\nSUBMIT held 8 c45ca0b393161464\n"
"GEM_CREATE - 0 ad26ed511ec84f8f\ntouch site 6 423d52af3396d565\nCTX_CREATE - 0 c7c2b146e3dc3584\n"
"buffer site 15 40583d278f153b8\nSUBMIT - 0 851f2d0a9ef39f1c\nSUBMIT - 9 bb6102f90428821\n"
"SUBMIT - 0 686624dbc4f530a6\nSUBMIT - 0 4099f7f712cd55af\nCTX_CREATE - 0 aa914dfd07b71634\n"
"SUBMIT - 0 40605928508591\nbuffer - 0 954663a0662d2696\ndebugfs - 0 c46dcd3dd21a1b99\n"
"SUBMIT - 0 a9930e26472fb1cf\n",
"world 1 kill 0\npopulate - 0 bb1e330f38d2e64\nSUBMIT - 0 d3f18766336c7fcd\nmap - 0 e9a51fb2a7c88e4b\n"
"touch - 0 7c9881b15c41d5c5\nbuffer - 0 d52d5759eec7ddb5\ntouch - 0 3197d4e2e8d5b9e3\n"
"locked - 0 936d0e1e83c02da8\ntouch - 0 f8540d95a502a86a\nclose-bo - 0 e474e007b2aa40b4\n"
"buffer - 0 80f1de02ce359204\nfdinfo - 0 ea9238ebf9f3b65b\ndebugfs - 0 a22ba4d70746a9ba\n"
"debugfs - 0 3eb17c275c832a51\nreopen - 0 6e0012819a0c1b76\npopulate - 0 5b7d3b0f4de8344e\n",
"world 6 kill 0\npopulate - 34 3c759684c86a6f44\ntrace - 0 5f734d34aaa4f9ce\ndebugfs - 0 64553ebc8db2ca49\n"
"SUBMIT - 0 e4bef91ccda323b7\nESCAPE beside 14 f4e450e34b5e6091\nbuffer site 10 99bf1a7f2591b0d3\n"
"RECORD - 0 e3d750260ef0cfee\nSUBMIT - 0 6e8bba7fe9068da\nSUBMIT kernel 15 ecb35828d0b17457\n"
"GEM_CREATE beside 1 d2d9259ca7a5869\nunmap interrupt 21 346ba55447de1f0e\n"
"ESCAPE interrupt 8 dc73c6254b5213cd\nSUBMIT - 0 1c897c395e1f180a\nGEM_UNLOCK - 0 9a31d3801a29ff87\n"
"buffer beside 14 52d8b8c10e49f232\nCTX_CREATE held 11 aed29e1fa5b7b5e2\n",
"world 6 kill 0\nreopen - 0 fe40fe67ad0a32c3\ntrace - 0 ad5713f51667c9cd\nbuffer - 0 9dbfdf8a973a6505\n"
"buffer - 0 3aefad9045f259e7\nSUBMIT - 0 203d308f21e3a661\ntouch - 0 8bb78f866b51c641\n"
"knob - 0 3e32f4332e8d40ca\nSUBMIT beside 0 a9b58da5fa28ac54\nbuffer - 0 fb633c7162478ba8\n"
"trace - 0 6dd90a68980488f7\nlocked - 0 847f69c4904469f3\ntouch - 0 d49ee0c0a07a8619\n"
"trace - 0 edb492927afdd002\nSUBMIT held 3 40cf517d4528b339\nbuffer - 0 4c8efc1023039105\n"
"trace - 0 8699e04e3572207\n",
"world 2 kill 0\npopulate - 0 2f65f56eaaa3a20c\ntrace - 0 263fbb4df8fb2f26\nbuffer - 0 b0b3f6cb2a04548a\n"
"buffer - 0 22639415a01e70b7\nSUBMIT - 0 1303b035627b9e1c\ntouch - 0 32305e60fa21a5a\n"
"GEM_LOCK - 15 8dd65a1c34e5726e\nSUBMIT beside 0 71f76086142bfa29\nbuffer - 0 a69f435d1d55eb77\n"
"locked - 0 ac799e0d19a32fa8\ntouch - 0 987a878a5e1c0ad1\nGEM_INFO - 24 5899e2fcf7f2ee74\n"
"SUBMIT held 3 398bbb8b8af20d12\nbuffer - 0 6826f236c9520579\ntrace - 0 c37e2d9239bf7f90\n"
"SUBMIT beside 0 71f76086142bfa29\n",
"world 2 kill 0\npopulate - 0 2f65f56eaaa3a20c\ntrace - 0 263fbb4df8fb2f26\nbuffer - 0 b0b3f6cb2a04548a\n"
"buffer - 0 22639415a01e70b7\nSUBMIT - 0 1303b035627b9e1c\ntouch - 0 32305e60fa21a5a\n"
"knob - 0 78e275cc0a3503c6\nSUBMIT beside 0 f2981d7c24b91e4\nbuffer - 0 ad620e6ade195075\n"
"locked - 0 ac799e0d19a32fa8\ntouch - 0 987a878a5e1c0ad1\nGEM_INFO - 24 5899e2fcf7f2ee74\n"
"SUBMIT held 3 398bbb8b8af20d12\nbuffer - 0 6826f236c9520579\ntrace - 0 c37e2d9239bf7f90\n",
"world 5 kill 0\npopulate - 0 eb1425ed80a7697a\nbuffer kernel 23 e680a453262523bd\n"
"GEM_UNLOCK - 0 6d0e19a3e92eefa6\nCTX_QUERY interrupt 7 77b5daaf8eb17a3a\n"
"CTX_QUERY interrupt 15 722c152260c72625\nSUBMIT - 0 e5f1c63ff68012fb\n",
"world 6 kill 0\npopulate - 0 4381a86bd40d84a2\ntrace - 0 ad5713f51667c9cd\nbuffer - 0 9dbfdf8a973a6505\n"
"buffer - 0 3aefad9045f259e7\nSUBMIT - 0 203d308f21e3a661\ntouch - 0 8bb78f866b51c641\n"
"knob - 0 3e32f4332e8d40ca\nSUBMIT beside 0 a9b58da5fa28ac54\nbuffer - 0 fb633c7162478ba8\n"
"trace - 0 6dd90a68980488f7\nSUBMIT - 0 e33479dd8f7694c0\ntrace - 0 edb492927afdd002\n"
"SUBMIT held 3 40cf517d4528b339\nbuffer - 0 4c8efc1023039105\ntrace - 0 8699e04e3572207\n",
"world 4 kill 0\npopulate - 0 5ef42f2519a3c26c\ntrace - 0 f6432cb95caa327d\nbuffer - 0 3e4cd845a026e64a\n"
"SUBMIT - 0 517dca2c9b48d67b\ntouch - 0 9a56b0124ef4a73\nknob - 0 ab0c6793a0c517e9\n"
"SUBMIT beside 0 b6c4787a18ea1be6\nbuffer - 0 266c151a4f07d898\ntrace - 0 7a560fb6a544161e\n"
"locked - 0 b95e481e767460e5\ntouch - 0 11a9dbe8e64b3ab6\ntrace - 0 7e58951a1131472\n"
"SUBMIT held 3 8d2a5349b38d03cc\nbuffer - 0 9ddaa1c52083817d\ntrace - 0 ec97480bd5296c98\n",
"world 9 kill 0\npopulate - 23 ade60527f693fb0\nSUBMIT kernel 51 f453766631100288\nknob - 0 a1831d52f8852cad\n"
"populate - 0 45cc49060ee70945\nGEM_LOCK kernel 8 68c7105d52c78a97\nESCAPE held 16 88454551bd40a3b5\n"
"populate interrupt 17 80695f68826c3634\nSUBMIT kernel 42 428236e53af491ee\nSUBMIT - 0 5d3181194b26b4da\n"
"ESCAPE site 11 38e05684ec57fbaf\nperf - 0 3514010b76b5d168\nsyncobj site 10 78cc3d2117e8b351\n"
"GEM_SURFACE site 2 ea082a5712a1e7d7\nbuffer - 0 bf91a49ab4fb71b1\n",
"world 6 kill 0\npopulate - 0 a45fcb41ed3722b7\nimport - 0 31b9144e16d70903\nSUBMIT - 0 f4a99301744d0179\n"
"import - 0 696e33d961621470\nbuffer - 0 c0cad78520385f62\nexport - 0 e9c18038e91113cd\n"
"export - 0 25c51900d6435018\ndmabuf - 0 edc4a9108511f171\ndmabuf - 0 ce37959f43c0f80\n"
"touch - 0 865d5608853100d1\nbuffer - 0 f7fa809ac6c3a066\nexport - 0 ebcde5c57cf12f75\n"
"fence - 0 e20a753d5d404a34\nimport - 0 54253303fe91d546\nbuffer - 0 b65f7f96d779c669\n"
"remap - 0 45e3a487de028b82\n",
"world 4 kill 0\npopulate - 0 d9ba86a3ba25a311\nGEM_CREATE - 0 1d14b05fe2666636\nSUBMIT - 0 fc6758d7f67377f4\n"
"SUBMIT - 0 79ee3a2ee6b829ed\nSUBMIT - 0 1604f6db25f72d6f\nsyncobj kernel 60 c4f3c36567433b72\n"
"locked interrupt 1 7541834a394fe16a\n",
"world 5 kill 0\npopulate - 0 779e6e65ce038150\ntrace - 0 5dd1702a52c9b40d\nbuffer - 0 29bc6792a8c428df\n"
"buffer - 0 e9c0cef4f884203f\nSUBMIT - 0 9e93cd33ec4edd58\ntouch - 0 b1c7a0976044572d\n"
"ESCAPE beside 21 e8d9255cc915dff1\nSUBMIT beside 0 a566be8151f2ed16\nbuffer - 0 d1337098520269c8\n"
"trace - 0 bab3c63e7ced7c4c\ntouch - 0 c29ef810302a59d8\nfence interrupt 20 11db1f8fd3305d19\n"
"trace - 0 8f52f3584a7132be\nSUBMIT held 3 9fb04eb00195d1ac\nbuffer - 0 f6f3b2277309143f\n"
"trace - 0 2ebd722e0e9e6fb4\n",
"world 8 kill 0\npopulate site 1 569e150459ddbdbf\nbuffer - 0 f93c0d9828830469\ntouch - 0 d18fa6f2ba5bd72f\n"
"touch - 0 349643898929634a\nbuffer - 0 f7114a9c2cd585eb\ntouch - 0 39bf543e2f1cc025\n"
"bus - 0 2020d2fca0fe6942\npoke - 0 7aa4a9b3dc085948\nunbind - 0 ed79bbd3bd2c3b7a\n"
"populate - 0 9f51c7c875303ad3\nbuffer - 0 b9f8c1161c4a838c\nbuffer - 0 22fe00719d372dfe\n"
"buffer - 0 f89f6c36749f86e4\n",
"world 9 kill 0\npopulate - 23 ade60527f693fb0\nSUBMIT kernel 51 f453766631100288\nknob - 0 a1831d52f8852cad\n"
"close-bo - 0 e338245859128061\nGEM_LOCK kernel 8 68c7105d52c78a97\nESCAPE held 16 88454551bd40a3b5\n"
"populate interrupt 17 80695f68826c3634\nSUBMIT kernel 42 7c34cb17be2b4646\nSUBMIT - 0 5d3181194b26b4da\n"
"ESCAPE site 11 38e05684ec57fbaf\nperf - 0 3514010b76b5d168\nsyncobj site 10 78cc3d2117e8b351\n"
"GEM_SURFACE site 2 ea082a5712a1e7d7\nbuffer - 0 bf91a49ab4fb71b1\n",
"world 9 kill 0\npopulate - 0 58d24fb0689ad0ff\nSUBMIT held 24 462b7b0115e87ba4\nfence - 0 7f8294066150ca88\n"
"RECORD held 10 db62b10686eb93ab\ndmabuf - 0 4084ca3664eede8f\nbuffer - 0 11c68df12239065\n"
"GEM_SURFACE - 0 d7027cdf407addd6\nmap - 0 287fe608875e9947\nmap - 0 6b230a3912710326\n"
"GEM_CREATE held 19 cf188be08c5d9855\nSUBMIT - 2 b788b410262e5f13\n",
"world 3 kill 0\npopulate - 0 c3bfeff5f1c381ec\nGEM_CREATE held 22 b493e5f0f594cc66\n"
"SUBMIT held 18 7d49f07a6259a4ea\nSUBMIT - 0 ef43cc6056d9e4a6\nconfigfs - 0 590b07b9f965e0d2\n"
"dmabuf - 0 500f303019ff9e15\nSUBMIT interrupt 1 3dbd0ea1a442a3f\nbuffer - 0 194266eaa54fce0f\n"
"GEM_UNLOCK - 0 c6f61960edeec026\ntrace held 9 65b65808b355e48f\nfence site 3 1f200dc424a63f9a\n"
"dumb - 0 845cd32a6a723235\ndebugfs - 0 6e946cce04184920\ndebugfs interrupt 24 1c2fe1f1051ed016\n"
"locked interrupt 18 e5c5ad7c28880b3\n",
"world 9 kill 0\npopulate - 0 27b38dc173fc74a9\nGEM_UNLOCK - 0 b79a010af1362c75\nSUBMIT - 0 eb46d7ba320f35cd\n"
"close-bo - 11 2e7b9e6eefcb14a2\nESCAPE - 0 3b7885ff797547b8\nSUBMIT kernel 32 a7610142ece25a48\n"
"SUBMIT - 0 e69a02eb87ca2ccf\nGEM_CREATE - 11 b9e9584eda65f0a1\nSUBMIT - 11 d03b5bde4b8fdfd1\n"
"SUBMIT site 9 8f58e6184be4eafa\nwait - 0 b29db4b796e12052\nbuffer - 0 18ce344031bf0b03\n"
"SUBMIT site 13 7b7c6ef09047be8f\nlocked - 0 8c730cf4af6934aa\n",
"world 9 kill 0\npopulate - 0 ad8b37a7941d9b5a\nSUBMIT - 0 633b4e69a3b7b0e4\ntouch beside 8 6c0ff38449e14711\n"
"buffer - 0 c075ccba9440127b\nGEM_LOCK site 12 828d26934129889a\nSUBMIT - 2 cfd4c88ce141ab02\n"
"SUBMIT - 0 37cbc3ea2dd9c09f\nSUBMIT beside 24 5aba681668c73587\nSUBMIT - 0 b418d34e7381e101\n"
"SUBMIT kernel 7 a6a09bc37c40cfb1\nSUBMIT - 0 d16a39ba36e005d8\nGEM_CREATE - 0 3dd8351cf6a9ac7e\n"
"fdinfo - 0 2cb5846384315b1\ndmabuf interrupt 2 5e699ad69616bb97\ntouch - 0 5f9f0c18167333fc\n"
"GEM_CREATE - 0 3dd8351cf6a9ac7e\n",
"world 3 kill 0\npopulate - 0 41f4bda9c99a2f13\nbuffer - 0 f93c0d9828830469\ntouch - 0 d18fa6f2ba5bd72f\n"
"bus - 0 3e85889ceaaf9cc1\nbuffer - 0 f7114a9c2cd585eb\ntouch - 0 39bf543e2f1cc025\nbus - 0 2020d2fca0fe6942\n"
"poke - 0 7aa4a9b3dc085948\nbuffer - 0 ed79bbd3bd2c3b7a\npopulate - 0 9f51c7c875303ad3\n"
"buffer - 0 b9f8c1161c4a838c\nbuffer - 0 22fe00719d372dfe\nbuffer - 0 f89f6c36749f86e4\n",
"world 4 kill 0\npopulate - 0 d9ba86a3ba25a311\nSUBMIT - 0 9ff8215d7115da09\nSUBMIT - 23 bcd22c706307bcee\n"
"SUBMIT - 0 79ee3a2ee6b829ed\ntouch held 19 54fd4db7c469ccfb\nSUBMIT - 0 1604f6db25f72d6f\n"
"locked - 0 7541834a394fe16a\n",
"world 3 kill 0\npopulate - 7 7ebf7fbec8cba169\nSUBMIT - 0 fd0768526ddfeba3\nQUERY - 0 2600bbfff2a56b0e\n"
"map - 0 45ac6dcea9ddc978\ntrace - 0 1263b2569046a6ac\nSUBMIT - 0 64e89f21f1e7cab7\n"
"export beside 21 3d59230495683c90\nSUBMIT beside 1 be76510d3547bea3\ntouch site 17 de8f720de37db695\n"
"SUBMIT - 0 ff2cf01318d74ef3\nQUERY beside 19 357f38ac2f9f24b2\npoke beside 18 7ecab5c8fc0f6513\n"
"knob site 7 d21a57624cdab445\nGEM_PRIORITY beside 19 b1966c2759f4353f\nremap site 20 88410f1e491bc261\n"
"poke - 0 55e9abbf1528df70\n",
"world 4 kill 0\npopulate - 15 4f1a99913a15a5e9\nbuffer - 12 9c71f42fae449dc1\n"
"GEM_CREATE - 0 9e4a8ab050160a4a\nexport - 0 c38c619cb9245c44\nwait interrupt 18 98a0b7677e3868ca\n"
"export - 0 9862ab4698747363\nGEM_PRIORITY site 2 5b2443036281c7f2\nunmap kernel 33 447875a27c94c077\n"
"buffer - 18 12296823dc4dd462\n",
"world 2 kill 0\npopulate - 0 8091438ba1496f9e\nimport - 0 e94cb89fedb0abdd\n"
"SUBMIT interrupt 5 223f31c6edf84874\nSUBMIT - 0 dd306a3f6ee2e6ad\npoke interrupt 15 b6acd5694f7500c2\n"
"GEM_CREATE - 0 e8930db3e58945d7\nGEM_CREATE site 5 facabb00a74eeb87\nCTX_QUERY beside 23 9c9eb98ab386baa\n"
"GEM_LOCK - 0 8a32e404faff1aee\nSUBMIT - 0 20094b6c5a66f2ca\nCTX_QUERY - 0 27eb455f60b24154\n"
"ESCAPE kernel 17 f9ad4972ce54b447\nCTX_DESTROY - 0 9127514fbbd34f1e\nSUBMIT - 0 71f0d868c0eb95b\n",
"world 4 kill 0\npopulate - 0 d9ba86a3ba25a311\ntouch beside 8 6c0ff38449e14711\nSUBMIT - 0 fc6758d7f67377f4\n"
"buffer held 3 4fa5d1a67f5f77f0\nSUBMIT - 0 1604f6db25f72d6f\nlocked - 0 7541834a394fe16a\n",
"world 5 kill 0\npopulate - 0 d76055d3df4834fc\nperf - 0 ae78008c98b1e786\nSUBMIT - 0 97dda20dcfaec0aa\n"
"SUBMIT - 0 c2450943fd968e74\nGEM_CREATE - 5 b3c3a140660c910b\ntouch beside 1 f9443cd5d384ead1\n"
"export beside 5 e319fa03c6bff7d2\nfdinfo - 0 c177ebd0f998f29e\nESCAPE site 19 b0d26451e975cf16\n"
"buffer - 0 c1ce76ca2db78264\nSUBMIT - 0 788c1b8c98c2463c\nGEM_UNLOCK held 16 c1fd204769dda39d\n"
"fence - 0 4e7b749a3bfcde88\nperf - 0 42cdae44d2da4320\nGEM_CREATE - 0 40fc830b8af8b6b6\n"
"locked site 12 f6da27044f65190b\n",
"world 9 kill 0\npopulate - 2 6cb00e98cb170086\nbuffer - 24 2f7ba443616bad8f\nRECORD - 0 43de38c2fc66439c\n"
"GEM_CREATE - 0 84bddb7e73184628\nESCAPE - 0 723a9cad0103881f\nclose-bo - 0 1359d22e84cd02f8\n",
"world 6 kill 0\npopulate - 23 1e9a6dd9a4268ffa\nGEM_LOCK - 0 9e7eb447dac60dc6\nESCAPE - 9 1b4e9a4640806fc5\n"
"touch - 0 c23b4d07f31ba13c\nsyncobj - 0 d1c68901186b2a2c\nbuffer beside 11 f117a871e09f83bb\n"
"SUBMIT - 0 9747750b84f1ffbd\nmap held 4 9eb814e474f98df6\nbuffer held 10 debc20248c26834d\n"
"wait site 17 b7bff652fccf5e7f\nconfigfs beside 22 78cbcac68a61a90\nbuffer - 0 e4fd31a3238f00b4\n"
"bus - 0 703f4079352287c9\nreopen - 0 353acbe7e6fdb35d\ndebugfs - 0 6ec1b703fcafea62\n"
"SUBMIT - 0 18aed5358ed702eb\n",
"world 2 kill 0\npopulate - 0 4bf47fb923a476d7\ndebugfs - 0 e2bca4007f4b4557\ntrace - 0 6bf28b9fbbd58445\n"
"SUBMIT site 7 2d9e9865af01dde5\nESCAPE - 0 9b4c6f32b2e34fa1\n",
"world 5 kill 0\npopulate - 0 2f65f56eaaa3a20c\ntrace - 0 263fbb4df8fb2f26\nbuffer - 0 b0b3f6cb2a04548a\n"
"buffer - 0 22639415a01e70b7\nSUBMIT - 0 1303b035627b9e1c\ntouch - 0 32305e60fa21a5a\n"
"GEM_LOCK - 15 8dd65a1c34e5726e\nSUBMIT beside 0 57f6378dfc1a2570\nbuffer - 0 a69f435d1d55eb77\n"
"locked - 0 b774895a3856b422\ntouch - 0 987a878a5e1c0ad1\nGEM_INFO - 24 5899e2fcf7f2ee74\n"
"SUBMIT held 3 398bbb8b8af20d12\nbuffer - 0 6826f236c9520579\ntrace - 0 c37e2d9239bf7f90\n"
"SUBMIT beside 0 71f76086142bfa29\n",
"world 5 kill 0\npopulate - 3 1aa37002a0c2bdfc\nSUBMIT - 16 86cca4a046b71bb0\nSUBMIT - 16 c3092f2e45f3cc82\n"
"SUBMIT kernel 27 832020e39f0606ca\nperf - 8 7c92deb291073b70\nGEM_CREATE - 15 2caab30bb3d760ce\n"
"buffer - 0 925553632dcbbd9a\nSUBMIT - 0 56f75e26f509f25\nSUBMIT - 0 1bb66fe6901181c2\n"
"touch - 0 f0e886cbf7839853\nCTX_DESTROY site 13 77917c51067b529a\nCTX_QUERY - 0 33888f9574f604a8\n"
"GEM_CREATE interrupt 23 ac1603e269bbd906\nexport kernel 11 e6662e25dcd9b948\nbuffer - 0 ae42394c51e5de4e\n"
"GEM_CREATE - 0 d95517f89d5d1a98\n",
