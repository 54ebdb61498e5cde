// Offers as clients make them. The long ones were recorded; long lines are theirs.

import Testing

enum Offers {
  /// An offer that prints as its name, so that a test's output stays short.
  struct Named: CustomTestStringConvertible, Sendable {
    let name: String
    let text: String
    var testDescription: String { name }
  }

  /// Chromium 156: microphone, simulcast camera, one audio and one video slot; candidates with mDNS names.
  static let chromiumSlots = """
    v=0
    o=- 6965620493732789634 2 IN IP4 127.0.0.1
    s=-
    t=0 0
    a=group:BUNDLE 0 1 2 3
    a=extmap-allow-mixed
    a=msid-semantic: WMS 11b456b6-f7ec-4702-8195-8e3a9c6f7b4e
    m=audio 9 UDP/TLS/RTP/SAVPF 111 63 9 0 8 13 110 126
    c=IN IP4 0.0.0.0
    a=rtcp:9 IN IP4 0.0.0.0
    a=candidate:2111906449 1 udp 2113937151 eeb60592-261f-46bd-a219-d711702416c1.local 48032 typ host generation 0 network-cost 999
    a=candidate:2056474145 1 udp 2113942271 a36fd3e4-7ccf-4514-ac4e-ae62e852ec06.local 41208 typ host generation 0 network-cost 999
    a=ice-ufrag:PuEy
    a=ice-pwd:RjHRlg81rvazBOqfvy/vXNwI
    a=ice-options:trickle
    a=fingerprint:sha-256 ED:8C:C9:90:7A:38:F0:43:0F:BC:2F:E3:A1:37:4F:A8:91:E7:18:0B:9B:C7:85:8D:2A:CB:21:17:B9:66:F2:F8
    a=setup:actpass
    a=mid:0
    a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=sendonly
    a=msid:11b456b6-f7ec-4702-8195-8e3a9c6f7b4e 50292359-a8c0-4d21-9a3e-79f5cac9af83
    a=rtcp-mux
    a=rtcp-rsize
    a=rtcp-xr:rcvr-rtt=all
    a=rtpmap:111 opus/48000/2
    a=rtcp-fb:111 transport-cc
    a=fmtp:111 minptime=10;useinbandfec=1
    a=rtpmap:63 red/48000/2
    a=fmtp:63 111/111
    a=rtpmap:9 G722/8000
    a=rtpmap:0 PCMU/8000
    a=rtpmap:8 PCMA/8000
    a=rtpmap:13 CN/8000
    a=rtpmap:110 telephone-event/48000
    a=rtpmap:126 telephone-event/8000
    a=ssrc:1466208334 cname:FDUZXKhHeRkZHvFJ
    a=ssrc:1466208334 msid:11b456b6-f7ec-4702-8195-8e3a9c6f7b4e 50292359-a8c0-4d21-9a3e-79f5cac9af83
    m=video 9 UDP/TLS/RTP/SAVPF 96 97 102 103 104 107 108 109 114 115 116 117 39 40 45 46 98 99 100 101 118 119 120
    c=IN IP4 0.0.0.0
    a=rtcp:9 IN IP4 0.0.0.0
    a=ice-ufrag:PuEy
    a=ice-pwd:RjHRlg81rvazBOqfvy/vXNwI
    a=ice-options:trickle
    a=fingerprint:sha-256 ED:8C:C9:90:7A:38:F0:43:0F:BC:2F:E3:A1:37:4F:A8:91:E7:18:0B:9B:C7:85:8D:2A:CB:21:17:B9:66:F2:F8
    a=setup:actpass
    a=mid:1
    a=extmap:14 urn:ietf:params:rtp-hdrext:toffset
    a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=extmap:13 urn:3gpp:video-orientation
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:5 http://www.webrtc.org/experiments/rtp-hdrext/playout-delay
    a=extmap:6 http://www.webrtc.org/experiments/rtp-hdrext/video-content-type
    a=extmap:7 http://www.webrtc.org/experiments/rtp-hdrext/video-timing
    a=extmap:8 http://www.webrtc.org/experiments/rtp-hdrext/color-space
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:10 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id
    a=extmap:11 urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id
    a=extmap:12 https://aomediacodec.github.io/av1-rtp-spec/#dependency-descriptor-rtp-header-extension
    a=extmap:9 http://www.webrtc.org/experiments/rtp-hdrext/video-layers-allocation00
    a=sendonly
    a=msid:11b456b6-f7ec-4702-8195-8e3a9c6f7b4e 884c2abe-95ad-46dd-a923-94c855f36250
    a=rtcp-mux
    a=rtcp-rsize
    a=rtcp-xr:rcvr-rtt=all
    a=rtpmap:96 VP8/90000
    a=rtcp-fb:96 goog-remb
    a=rtcp-fb:96 transport-cc
    a=rtcp-fb:96 ccm fir
    a=rtcp-fb:96 nack
    a=rtcp-fb:96 nack pli
    a=rtpmap:97 rtx/90000
    a=fmtp:97 apt=96
    a=rtpmap:102 H264/90000
    a=rtcp-fb:102 goog-remb
    a=rtcp-fb:102 transport-cc
    a=rtcp-fb:102 ccm fir
    a=rtcp-fb:102 nack
    a=rtcp-fb:102 nack pli
    a=fmtp:102 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f
    a=rtpmap:103 rtx/90000
    a=fmtp:103 apt=102
    a=rtpmap:104 H264/90000
    a=rtcp-fb:104 goog-remb
    a=rtcp-fb:104 transport-cc
    a=rtcp-fb:104 ccm fir
    a=rtcp-fb:104 nack
    a=rtcp-fb:104 nack pli
    a=fmtp:104 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=42001f
    a=rtpmap:107 rtx/90000
    a=fmtp:107 apt=104
    a=rtpmap:108 H264/90000
    a=rtcp-fb:108 goog-remb
    a=rtcp-fb:108 transport-cc
    a=rtcp-fb:108 ccm fir
    a=rtcp-fb:108 nack
    a=rtcp-fb:108 nack pli
    a=fmtp:108 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f
    a=rtpmap:109 rtx/90000
    a=fmtp:109 apt=108
    a=rtpmap:114 H264/90000
    a=rtcp-fb:114 goog-remb
    a=rtcp-fb:114 transport-cc
    a=rtcp-fb:114 ccm fir
    a=rtcp-fb:114 nack
    a=rtcp-fb:114 nack pli
    a=fmtp:114 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=42e01f
    a=rtpmap:115 rtx/90000
    a=fmtp:115 apt=114
    a=rtpmap:116 H264/90000
    a=rtcp-fb:116 goog-remb
    a=rtcp-fb:116 transport-cc
    a=rtcp-fb:116 ccm fir
    a=rtcp-fb:116 nack
    a=rtcp-fb:116 nack pli
    a=fmtp:116 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=4d001f
    a=rtpmap:117 rtx/90000
    a=fmtp:117 apt=116
    a=rtpmap:39 H264/90000
    a=rtcp-fb:39 goog-remb
    a=rtcp-fb:39 transport-cc
    a=rtcp-fb:39 ccm fir
    a=rtcp-fb:39 nack
    a=rtcp-fb:39 nack pli
    a=fmtp:39 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=4d001f
    a=rtpmap:40 rtx/90000
    a=fmtp:40 apt=39
    a=rtpmap:45 AV1/90000
    a=rtcp-fb:45 goog-remb
    a=rtcp-fb:45 transport-cc
    a=rtcp-fb:45 ccm fir
    a=rtcp-fb:45 nack
    a=rtcp-fb:45 nack pli
    a=fmtp:45 level-idx=5;profile=0;tier=0
    a=rtpmap:46 rtx/90000
    a=fmtp:46 apt=45
    a=rtpmap:98 VP9/90000
    a=rtcp-fb:98 goog-remb
    a=rtcp-fb:98 transport-cc
    a=rtcp-fb:98 ccm fir
    a=rtcp-fb:98 nack
    a=rtcp-fb:98 nack pli
    a=fmtp:98 profile-id=0
    a=rtpmap:99 rtx/90000
    a=fmtp:99 apt=98
    a=rtpmap:100 VP9/90000
    a=rtcp-fb:100 goog-remb
    a=rtcp-fb:100 transport-cc
    a=rtcp-fb:100 ccm fir
    a=rtcp-fb:100 nack
    a=rtcp-fb:100 nack pli
    a=fmtp:100 profile-id=2
    a=rtpmap:101 rtx/90000
    a=fmtp:101 apt=100
    a=rtpmap:118 red/90000
    a=rtpmap:119 rtx/90000
    a=fmtp:119 apt=118
    a=rtpmap:120 ulpfec/90000
    a=rid:q send
    a=rid:h send
    a=rid:f send
    a=simulcast:send q;h;f
    m=audio 9 UDP/TLS/RTP/SAVPF 111 63 9 0 8 13 110 126
    c=IN IP4 0.0.0.0
    a=rtcp:9 IN IP4 0.0.0.0
    a=ice-ufrag:PuEy
    a=ice-pwd:RjHRlg81rvazBOqfvy/vXNwI
    a=ice-options:trickle
    a=fingerprint:sha-256 ED:8C:C9:90:7A:38:F0:43:0F:BC:2F:E3:A1:37:4F:A8:91:E7:18:0B:9B:C7:85:8D:2A:CB:21:17:B9:66:F2:F8
    a=setup:actpass
    a=mid:2
    a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=recvonly
    a=rtcp-mux
    a=rtcp-rsize
    a=rtcp-xr:rcvr-rtt=all
    a=rtpmap:111 opus/48000/2
    a=rtcp-fb:111 transport-cc
    a=fmtp:111 minptime=10;useinbandfec=1
    a=rtpmap:63 red/48000/2
    a=fmtp:63 111/111
    a=rtpmap:9 G722/8000
    a=rtpmap:0 PCMU/8000
    a=rtpmap:8 PCMA/8000
    a=rtpmap:13 CN/8000
    a=rtpmap:110 telephone-event/48000
    a=rtpmap:126 telephone-event/8000
    m=video 9 UDP/TLS/RTP/SAVPF 96 97 98 99 100 101 35 36 37 38 102 103 104 107 108 109 114 115 116 117 39 40 41 42 43 44 45 46 47 48 118 119 120 49
    c=IN IP4 0.0.0.0
    a=rtcp:9 IN IP4 0.0.0.0
    a=ice-ufrag:PuEy
    a=ice-pwd:RjHRlg81rvazBOqfvy/vXNwI
    a=ice-options:trickle
    a=fingerprint:sha-256 ED:8C:C9:90:7A:38:F0:43:0F:BC:2F:E3:A1:37:4F:A8:91:E7:18:0B:9B:C7:85:8D:2A:CB:21:17:B9:66:F2:F8
    a=setup:actpass
    a=mid:3
    a=extmap:14 urn:ietf:params:rtp-hdrext:toffset
    a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=extmap:13 urn:3gpp:video-orientation
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:5 http://www.webrtc.org/experiments/rtp-hdrext/playout-delay
    a=extmap:6 http://www.webrtc.org/experiments/rtp-hdrext/video-content-type
    a=extmap:7 http://www.webrtc.org/experiments/rtp-hdrext/video-timing
    a=extmap:8 http://www.webrtc.org/experiments/rtp-hdrext/color-space
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:10 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id
    a=extmap:11 urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id
    a=extmap:12 https://aomediacodec.github.io/av1-rtp-spec/#dependency-descriptor-rtp-header-extension
    a=extmap:9 http://www.webrtc.org/experiments/rtp-hdrext/video-layers-allocation00
    a=recvonly
    a=rtcp-mux
    a=rtcp-rsize
    a=rtcp-xr:rcvr-rtt=all
    a=rtpmap:96 VP8/90000
    a=rtcp-fb:96 goog-remb
    a=rtcp-fb:96 transport-cc
    a=rtcp-fb:96 ccm fir
    a=rtcp-fb:96 nack
    a=rtcp-fb:96 nack pli
    a=rtpmap:97 rtx/90000
    a=fmtp:97 apt=96
    a=rtpmap:98 VP9/90000
    a=rtcp-fb:98 goog-remb
    a=rtcp-fb:98 transport-cc
    a=rtcp-fb:98 ccm fir
    a=rtcp-fb:98 nack
    a=rtcp-fb:98 nack pli
    a=fmtp:98 profile-id=0
    a=rtpmap:99 rtx/90000
    a=fmtp:99 apt=98
    a=rtpmap:100 VP9/90000
    a=rtcp-fb:100 goog-remb
    a=rtcp-fb:100 transport-cc
    a=rtcp-fb:100 ccm fir
    a=rtcp-fb:100 nack
    a=rtcp-fb:100 nack pli
    a=fmtp:100 profile-id=2
    a=rtpmap:101 rtx/90000
    a=fmtp:101 apt=100
    a=rtpmap:35 VP9/90000
    a=rtcp-fb:35 goog-remb
    a=rtcp-fb:35 transport-cc
    a=rtcp-fb:35 ccm fir
    a=rtcp-fb:35 nack
    a=rtcp-fb:35 nack pli
    a=fmtp:35 profile-id=1
    a=rtpmap:36 rtx/90000
    a=fmtp:36 apt=35
    a=rtpmap:37 VP9/90000
    a=rtcp-fb:37 goog-remb
    a=rtcp-fb:37 transport-cc
    a=rtcp-fb:37 ccm fir
    a=rtcp-fb:37 nack
    a=rtcp-fb:37 nack pli
    a=fmtp:37 profile-id=3
    a=rtpmap:38 rtx/90000
    a=fmtp:38 apt=37
    a=rtpmap:102 H264/90000
    a=rtcp-fb:102 goog-remb
    a=rtcp-fb:102 transport-cc
    a=rtcp-fb:102 ccm fir
    a=rtcp-fb:102 nack
    a=rtcp-fb:102 nack pli
    a=fmtp:102 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f
    a=rtpmap:103 rtx/90000
    a=fmtp:103 apt=102
    a=rtpmap:104 H264/90000
    a=rtcp-fb:104 goog-remb
    a=rtcp-fb:104 transport-cc
    a=rtcp-fb:104 ccm fir
    a=rtcp-fb:104 nack
    a=rtcp-fb:104 nack pli
    a=fmtp:104 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=42001f
    a=rtpmap:107 rtx/90000
    a=fmtp:107 apt=104
    a=rtpmap:108 H264/90000
    a=rtcp-fb:108 goog-remb
    a=rtcp-fb:108 transport-cc
    a=rtcp-fb:108 ccm fir
    a=rtcp-fb:108 nack
    a=rtcp-fb:108 nack pli
    a=fmtp:108 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f
    a=rtpmap:109 rtx/90000
    a=fmtp:109 apt=108
    a=rtpmap:114 H264/90000
    a=rtcp-fb:114 goog-remb
    a=rtcp-fb:114 transport-cc
    a=rtcp-fb:114 ccm fir
    a=rtcp-fb:114 nack
    a=rtcp-fb:114 nack pli
    a=fmtp:114 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=42e01f
    a=rtpmap:115 rtx/90000
    a=fmtp:115 apt=114
    a=rtpmap:116 H264/90000
    a=rtcp-fb:116 goog-remb
    a=rtcp-fb:116 transport-cc
    a=rtcp-fb:116 ccm fir
    a=rtcp-fb:116 nack
    a=rtcp-fb:116 nack pli
    a=fmtp:116 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=4d001f
    a=rtpmap:117 rtx/90000
    a=fmtp:117 apt=116
    a=rtpmap:39 H264/90000
    a=rtcp-fb:39 goog-remb
    a=rtcp-fb:39 transport-cc
    a=rtcp-fb:39 ccm fir
    a=rtcp-fb:39 nack
    a=rtcp-fb:39 nack pli
    a=fmtp:39 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=4d001f
    a=rtpmap:40 rtx/90000
    a=fmtp:40 apt=39
    a=rtpmap:41 H264/90000
    a=rtcp-fb:41 goog-remb
    a=rtcp-fb:41 transport-cc
    a=rtcp-fb:41 ccm fir
    a=rtcp-fb:41 nack
    a=rtcp-fb:41 nack pli
    a=fmtp:41 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=f4001f
    a=rtpmap:42 rtx/90000
    a=fmtp:42 apt=41
    a=rtpmap:43 H264/90000
    a=rtcp-fb:43 goog-remb
    a=rtcp-fb:43 transport-cc
    a=rtcp-fb:43 ccm fir
    a=rtcp-fb:43 nack
    a=rtcp-fb:43 nack pli
    a=fmtp:43 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=f4001f
    a=rtpmap:44 rtx/90000
    a=fmtp:44 apt=43
    a=rtpmap:45 AV1/90000
    a=rtcp-fb:45 goog-remb
    a=rtcp-fb:45 transport-cc
    a=rtcp-fb:45 ccm fir
    a=rtcp-fb:45 nack
    a=rtcp-fb:45 nack pli
    a=fmtp:45 level-idx=5;profile=0;tier=0
    a=rtpmap:46 rtx/90000
    a=fmtp:46 apt=45
    a=rtpmap:47 AV1/90000
    a=rtcp-fb:47 goog-remb
    a=rtcp-fb:47 transport-cc
    a=rtcp-fb:47 ccm fir
    a=rtcp-fb:47 nack
    a=rtcp-fb:47 nack pli
    a=fmtp:47 level-idx=5;profile=1;tier=0
    a=rtpmap:48 rtx/90000
    a=fmtp:48 apt=47
    a=rtpmap:118 red/90000
    a=rtpmap:119 rtx/90000
    a=fmtp:119 apt=118
    a=rtpmap:120 ulpfec/90000
    a=rtpmap:49 flexfec-03/90000
    a=rtcp-fb:49 goog-remb
    a=rtcp-fb:49 transport-cc
    a=fmtp:49 repair-window=10000000

    """

  /// Chromium: addTrack for both kinds and a data channel.
  static let chromiumDefault = """
    v=0
    o=- 1607965313534137487 2 IN IP4 127.0.0.1
    s=-
    t=0 0
    a=group:BUNDLE 0 1 2
    a=extmap-allow-mixed
    a=msid-semantic: WMS 11b456b6-f7ec-4702-8195-8e3a9c6f7b4e
    m=audio 9 UDP/TLS/RTP/SAVPF 111 63 9 0 8 13 110 126
    c=IN IP4 0.0.0.0
    a=rtcp:9 IN IP4 0.0.0.0
    a=ice-ufrag:mFGK
    a=ice-pwd:ORoXiF1mLJLCmDE0fDtBktBz
    a=ice-options:trickle
    a=fingerprint:sha-256 75:B3:37:38:39:81:5D:06:03:CF:10:55:F5:99:E0:C0:2E:16:4D:88:1F:46:83:6C:D3:A2:D9:A0:58:94:A3:16
    a=setup:actpass
    a=mid:0
    a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=sendrecv
    a=msid:11b456b6-f7ec-4702-8195-8e3a9c6f7b4e 50292359-a8c0-4d21-9a3e-79f5cac9af83
    a=rtcp-mux
    a=rtcp-rsize
    a=rtcp-xr:rcvr-rtt=all
    a=rtpmap:111 opus/48000/2
    a=rtcp-fb:111 transport-cc
    a=fmtp:111 minptime=10;useinbandfec=1
    a=rtpmap:63 red/48000/2
    a=fmtp:63 111/111
    a=rtpmap:9 G722/8000
    a=rtpmap:0 PCMU/8000
    a=rtpmap:8 PCMA/8000
    a=rtpmap:13 CN/8000
    a=rtpmap:110 telephone-event/48000
    a=rtpmap:126 telephone-event/8000
    a=ssrc:1808394815 cname:NU6ndbw5NBBylopR
    a=ssrc:1808394815 msid:11b456b6-f7ec-4702-8195-8e3a9c6f7b4e 50292359-a8c0-4d21-9a3e-79f5cac9af83
    m=video 9 UDP/TLS/RTP/SAVPF 96 97 102 103 104 107 108 109 114 115 116 117 39 40 45 46 98 99 100 101 118 119 120
    c=IN IP4 0.0.0.0
    a=rtcp:9 IN IP4 0.0.0.0
    a=ice-ufrag:mFGK
    a=ice-pwd:ORoXiF1mLJLCmDE0fDtBktBz
    a=ice-options:trickle
    a=fingerprint:sha-256 75:B3:37:38:39:81:5D:06:03:CF:10:55:F5:99:E0:C0:2E:16:4D:88:1F:46:83:6C:D3:A2:D9:A0:58:94:A3:16
    a=setup:actpass
    a=mid:1
    a=extmap:14 urn:ietf:params:rtp-hdrext:toffset
    a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=extmap:13 urn:3gpp:video-orientation
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:5 http://www.webrtc.org/experiments/rtp-hdrext/playout-delay
    a=extmap:6 http://www.webrtc.org/experiments/rtp-hdrext/video-content-type
    a=extmap:7 http://www.webrtc.org/experiments/rtp-hdrext/video-timing
    a=extmap:8 http://www.webrtc.org/experiments/rtp-hdrext/color-space
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:10 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id
    a=extmap:11 urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id
    a=sendrecv
    a=msid:11b456b6-f7ec-4702-8195-8e3a9c6f7b4e 884c2abe-95ad-46dd-a923-94c855f36250
    a=rtcp-mux
    a=rtcp-rsize
    a=rtcp-xr:rcvr-rtt=all
    a=rtpmap:96 VP8/90000
    a=rtcp-fb:96 goog-remb
    a=rtcp-fb:96 transport-cc
    a=rtcp-fb:96 ccm fir
    a=rtcp-fb:96 nack
    a=rtcp-fb:96 nack pli
    a=rtpmap:97 rtx/90000
    a=fmtp:97 apt=96
    a=rtpmap:102 H264/90000
    a=rtcp-fb:102 goog-remb
    a=rtcp-fb:102 transport-cc
    a=rtcp-fb:102 ccm fir
    a=rtcp-fb:102 nack
    a=rtcp-fb:102 nack pli
    a=fmtp:102 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f
    a=rtpmap:103 rtx/90000
    a=fmtp:103 apt=102
    a=rtpmap:104 H264/90000
    a=rtcp-fb:104 goog-remb
    a=rtcp-fb:104 transport-cc
    a=rtcp-fb:104 ccm fir
    a=rtcp-fb:104 nack
    a=rtcp-fb:104 nack pli
    a=fmtp:104 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=42001f
    a=rtpmap:107 rtx/90000
    a=fmtp:107 apt=104
    a=rtpmap:108 H264/90000
    a=rtcp-fb:108 goog-remb
    a=rtcp-fb:108 transport-cc
    a=rtcp-fb:108 ccm fir
    a=rtcp-fb:108 nack
    a=rtcp-fb:108 nack pli
    a=fmtp:108 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f
    a=rtpmap:109 rtx/90000
    a=fmtp:109 apt=108
    a=rtpmap:114 H264/90000
    a=rtcp-fb:114 goog-remb
    a=rtcp-fb:114 transport-cc
    a=rtcp-fb:114 ccm fir
    a=rtcp-fb:114 nack
    a=rtcp-fb:114 nack pli
    a=fmtp:114 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=42e01f
    a=rtpmap:115 rtx/90000
    a=fmtp:115 apt=114
    a=rtpmap:116 H264/90000
    a=rtcp-fb:116 goog-remb
    a=rtcp-fb:116 transport-cc
    a=rtcp-fb:116 ccm fir
    a=rtcp-fb:116 nack
    a=rtcp-fb:116 nack pli
    a=fmtp:116 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=4d001f
    a=rtpmap:117 rtx/90000
    a=fmtp:117 apt=116
    a=rtpmap:39 H264/90000
    a=rtcp-fb:39 goog-remb
    a=rtcp-fb:39 transport-cc
    a=rtcp-fb:39 ccm fir
    a=rtcp-fb:39 nack
    a=rtcp-fb:39 nack pli
    a=fmtp:39 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=4d001f
    a=rtpmap:40 rtx/90000
    a=fmtp:40 apt=39
    a=rtpmap:45 AV1/90000
    a=rtcp-fb:45 goog-remb
    a=rtcp-fb:45 transport-cc
    a=rtcp-fb:45 ccm fir
    a=rtcp-fb:45 nack
    a=rtcp-fb:45 nack pli
    a=fmtp:45 level-idx=5;profile=0;tier=0
    a=rtpmap:46 rtx/90000
    a=fmtp:46 apt=45
    a=rtpmap:98 VP9/90000
    a=rtcp-fb:98 goog-remb
    a=rtcp-fb:98 transport-cc
    a=rtcp-fb:98 ccm fir
    a=rtcp-fb:98 nack
    a=rtcp-fb:98 nack pli
    a=fmtp:98 profile-id=0
    a=rtpmap:99 rtx/90000
    a=fmtp:99 apt=98
    a=rtpmap:100 VP9/90000
    a=rtcp-fb:100 goog-remb
    a=rtcp-fb:100 transport-cc
    a=rtcp-fb:100 ccm fir
    a=rtcp-fb:100 nack
    a=rtcp-fb:100 nack pli
    a=fmtp:100 profile-id=2
    a=rtpmap:101 rtx/90000
    a=fmtp:101 apt=100
    a=rtpmap:118 red/90000
    a=rtpmap:119 rtx/90000
    a=fmtp:119 apt=118
    a=rtpmap:120 ulpfec/90000
    a=ssrc-group:FID 632262739 2019778181
    a=ssrc:632262739 cname:NU6ndbw5NBBylopR
    a=ssrc:632262739 msid:11b456b6-f7ec-4702-8195-8e3a9c6f7b4e 884c2abe-95ad-46dd-a923-94c855f36250
    a=ssrc:2019778181 cname:NU6ndbw5NBBylopR
    a=ssrc:2019778181 msid:11b456b6-f7ec-4702-8195-8e3a9c6f7b4e 884c2abe-95ad-46dd-a923-94c855f36250
    m=application 9 UDP/DTLS/SCTP webrtc-datachannel
    c=IN IP4 0.0.0.0
    a=ice-ufrag:mFGK
    a=ice-pwd:ORoXiF1mLJLCmDE0fDtBktBz
    a=ice-options:trickle
    a=fingerprint:sha-256 75:B3:37:38:39:81:5D:06:03:CF:10:55:F5:99:E0:C0:2E:16:4D:88:1F:46:83:6C:D3:A2:D9:A0:58:94:A3:16
    a=setup:actpass
    a=mid:2
    a=sctp-port:5000
    a=max-message-size:262144

    """

  /// aiortc: two tracks and two receivers; ports and candidates in every section.
  static let aiortc = """
    v=0
    o=- 4004216509 4004216509 IN IP4 0.0.0.0
    s=-
    t=0 0
    a=group:BUNDLE 0 1 2 3
    a=msid-semantic:WMS *
    m=audio 51154 UDP/TLS/RTP/SAVPF 96 9 0 8
    c=IN IP4 192.0.2.2
    a=sendonly
    a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:2 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=mid:0
    a=msid:dae06178-6d3c-494a-944e-8c319ba1bd85 4d8fd932-9a12-46ad-b5d9-83e545ba7343
    a=rtcp:9 IN IP4 0.0.0.0
    a=rtcp-mux
    a=ssrc:3226958225 cname:5d89af90-09c7-4858-9bc4-7fb587931c6a
    a=rtpmap:96 opus/48000/2
    a=rtpmap:9 G722/8000
    a=rtpmap:0 PCMU/8000
    a=rtpmap:8 PCMA/8000
    a=candidate:f957a2332b1715da3b0ef8ba684454eb 1 udp 2130706431 192.0.2.2 51154 typ host
    a=candidate:d0bcf3d9c29a2bc887618212a1623bfa 1 udp 2130706431 fd00::2 40741 typ host
    a=end-of-candidates
    a=ice-ufrag:DNSM
    a=ice-pwd:fJrxLmZqSlhX3rUEsQ6cUe
    a=fingerprint:sha-256 87:70:97:6A:A3:30:1E:7F:50:C3:B5:81:DB:5C:BD:62:55:4C:6E:68:A9:33:B2:16:CA:7B:17:01:AC:D4:71:E4
    a=fingerprint:sha-384 CD:90:60:6A:26:39:9B:C9:0C:15:3E:71:92:2D:FB:08:37:A3:83:B0:FC:B5:BD:64:89:CB:BC:F7:59:52:0D:B3:EE:49:3A:0E:92:AB:86:B1:F5:96:FE:E6:D8:65:63:FA
    a=fingerprint:sha-512 AF:D1:74:00:8B:A8:83:98:88:72:D5:30:B8:0D:08:CA:70:22:60:78:EC:45:A6:E3:11:20:40:2B:F6:F9:76:0F:29:0F:D1:0C:7A:4F:DC:4B:09:74:DA:FE:11:9D:D1:28:A5:FE:29:63:5A:7F:03:4B:89:26:FD:05:E6:01:9D:6F
    a=setup:actpass
    m=video 34876 UDP/TLS/RTP/SAVPF 97 98 99 100 101 102
    c=IN IP4 192.0.2.2
    a=sendonly
    a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:3 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=mid:1
    a=msid:dae06178-6d3c-494a-944e-8c319ba1bd85 a54f60df-71bd-4df3-88de-47c2e5024dc5
    a=rtcp:9 IN IP4 0.0.0.0
    a=rtcp-mux
    a=ssrc-group:FID 194833970 2774661639
    a=ssrc:194833970 cname:5d89af90-09c7-4858-9bc4-7fb587931c6a
    a=ssrc:2774661639 cname:5d89af90-09c7-4858-9bc4-7fb587931c6a
    a=rtpmap:97 VP8/90000
    a=rtcp-fb:97 nack
    a=rtcp-fb:97 nack pli
    a=rtcp-fb:97 goog-remb
    a=rtpmap:98 rtx/90000
    a=fmtp:98 apt=97
    a=rtpmap:99 H264/90000
    a=rtcp-fb:99 nack
    a=rtcp-fb:99 nack pli
    a=rtcp-fb:99 goog-remb
    a=fmtp:99 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f
    a=rtpmap:100 rtx/90000
    a=fmtp:100 apt=99
    a=rtpmap:101 H264/90000
    a=rtcp-fb:101 nack
    a=rtcp-fb:101 nack pli
    a=rtcp-fb:101 goog-remb
    a=fmtp:101 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f
    a=rtpmap:102 rtx/90000
    a=fmtp:102 apt=101
    a=candidate:f957a2332b1715da3b0ef8ba684454eb 1 udp 2130706431 192.0.2.2 34876 typ host
    a=candidate:d0bcf3d9c29a2bc887618212a1623bfa 1 udp 2130706431 fd00::2 45517 typ host
    a=end-of-candidates
    a=ice-ufrag:DNSM
    a=ice-pwd:fJrxLmZqSlhX3rUEsQ6cUe
    a=fingerprint:sha-256 87:70:97:6A:A3:30:1E:7F:50:C3:B5:81:DB:5C:BD:62:55:4C:6E:68:A9:33:B2:16:CA:7B:17:01:AC:D4:71:E4
    a=fingerprint:sha-384 CD:90:60:6A:26:39:9B:C9:0C:15:3E:71:92:2D:FB:08:37:A3:83:B0:FC:B5:BD:64:89:CB:BC:F7:59:52:0D:B3:EE:49:3A:0E:92:AB:86:B1:F5:96:FE:E6:D8:65:63:FA
    a=fingerprint:sha-512 AF:D1:74:00:8B:A8:83:98:88:72:D5:30:B8:0D:08:CA:70:22:60:78:EC:45:A6:E3:11:20:40:2B:F6:F9:76:0F:29:0F:D1:0C:7A:4F:DC:4B:09:74:DA:FE:11:9D:D1:28:A5:FE:29:63:5A:7F:03:4B:89:26:FD:05:E6:01:9D:6F
    a=setup:actpass
    m=audio 51154 UDP/TLS/RTP/SAVPF 96 9 0 8
    c=IN IP4 192.0.2.2
    a=recvonly
    a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:2 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=mid:2
    a=msid:dae06178-6d3c-494a-944e-8c319ba1bd85 8977b4f9-bc41-4ad8-8607-7053ff9ae039
    a=rtcp:9 IN IP4 0.0.0.0
    a=rtcp-mux
    a=ssrc:514135341 cname:5d89af90-09c7-4858-9bc4-7fb587931c6a
    a=rtpmap:96 opus/48000/2
    a=rtpmap:9 G722/8000
    a=rtpmap:0 PCMU/8000
    a=rtpmap:8 PCMA/8000
    a=candidate:f957a2332b1715da3b0ef8ba684454eb 1 udp 2130706431 192.0.2.2 51154 typ host
    a=candidate:d0bcf3d9c29a2bc887618212a1623bfa 1 udp 2130706431 fd00::2 40741 typ host
    a=end-of-candidates
    a=ice-ufrag:DNSM
    a=ice-pwd:fJrxLmZqSlhX3rUEsQ6cUe
    a=fingerprint:sha-256 87:70:97:6A:A3:30:1E:7F:50:C3:B5:81:DB:5C:BD:62:55:4C:6E:68:A9:33:B2:16:CA:7B:17:01:AC:D4:71:E4
    a=fingerprint:sha-384 CD:90:60:6A:26:39:9B:C9:0C:15:3E:71:92:2D:FB:08:37:A3:83:B0:FC:B5:BD:64:89:CB:BC:F7:59:52:0D:B3:EE:49:3A:0E:92:AB:86:B1:F5:96:FE:E6:D8:65:63:FA
    a=fingerprint:sha-512 AF:D1:74:00:8B:A8:83:98:88:72:D5:30:B8:0D:08:CA:70:22:60:78:EC:45:A6:E3:11:20:40:2B:F6:F9:76:0F:29:0F:D1:0C:7A:4F:DC:4B:09:74:DA:FE:11:9D:D1:28:A5:FE:29:63:5A:7F:03:4B:89:26:FD:05:E6:01:9D:6F
    a=setup:actpass
    m=video 34876 UDP/TLS/RTP/SAVPF 97 98 99 100 101 102
    c=IN IP4 192.0.2.2
    a=recvonly
    a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:3 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=mid:3
    a=msid:dae06178-6d3c-494a-944e-8c319ba1bd85 e559de67-ccbb-4c22-9af8-0a0cb6f96d3a
    a=rtcp:9 IN IP4 0.0.0.0
    a=rtcp-mux
    a=ssrc-group:FID 3479939133 2764247429
    a=ssrc:3479939133 cname:5d89af90-09c7-4858-9bc4-7fb587931c6a
    a=ssrc:2764247429 cname:5d89af90-09c7-4858-9bc4-7fb587931c6a
    a=rtpmap:97 VP8/90000
    a=rtcp-fb:97 nack
    a=rtcp-fb:97 nack pli
    a=rtcp-fb:97 goog-remb
    a=rtpmap:98 rtx/90000
    a=fmtp:98 apt=97
    a=rtpmap:99 H264/90000
    a=rtcp-fb:99 nack
    a=rtcp-fb:99 nack pli
    a=rtcp-fb:99 goog-remb
    a=fmtp:99 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f
    a=rtpmap:100 rtx/90000
    a=fmtp:100 apt=99
    a=rtpmap:101 H264/90000
    a=rtcp-fb:101 nack
    a=rtcp-fb:101 nack pli
    a=rtcp-fb:101 goog-remb
    a=fmtp:101 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f
    a=rtpmap:102 rtx/90000
    a=fmtp:102 apt=101
    a=candidate:f957a2332b1715da3b0ef8ba684454eb 1 udp 2130706431 192.0.2.2 34876 typ host
    a=candidate:d0bcf3d9c29a2bc887618212a1623bfa 1 udp 2130706431 fd00::2 45517 typ host
    a=end-of-candidates
    a=ice-ufrag:DNSM
    a=ice-pwd:fJrxLmZqSlhX3rUEsQ6cUe
    a=fingerprint:sha-256 87:70:97:6A:A3:30:1E:7F:50:C3:B5:81:DB:5C:BD:62:55:4C:6E:68:A9:33:B2:16:CA:7B:17:01:AC:D4:71:E4
    a=fingerprint:sha-384 CD:90:60:6A:26:39:9B:C9:0C:15:3E:71:92:2D:FB:08:37:A3:83:B0:FC:B5:BD:64:89:CB:BC:F7:59:52:0D:B3:EE:49:3A:0E:92:AB:86:B1:F5:96:FE:E6:D8:65:63:FA
    a=fingerprint:sha-512 AF:D1:74:00:8B:A8:83:98:88:72:D5:30:B8:0D:08:CA:70:22:60:78:EC:45:A6:E3:11:20:40:2B:F6:F9:76:0F:29:0F:D1:0C:7A:4F:DC:4B:09:74:DA:FE:11:9D:D1:28:A5:FE:29:63:5A:7F:03:4B:89:26:FD:05:E6:01:9D:6F
    a=setup:actpass

    """

  /// Firefox: session-level fingerprint, bundle-only slots, extension directions, simulcast.
  static let firefox = """
    v=0
    o=mozilla...THIS_IS_SDPARTA-99.0 3962474283463213057 0 IN IP4 0.0.0.0
    s=-
    t=0 0
    a=fingerprint:sha-256 8C:7D:5F:A3:11:0E:41:F2:5C:0B:95:90:1C:7A:64:7F:EE:2D:41:8B:6A:2E:99:0C:7B:11:61:F0:3D:5A:8E:C4
    a=group:BUNDLE 0 1 2 3
    a=ice-options:trickle
    a=msid-semantic:WMS *
    m=audio 9 UDP/TLS/RTP/SAVPF 109 9 0 8 101
    c=IN IP4 0.0.0.0
    a=sendonly
    a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=extmap:2/recvonly urn:ietf:params:rtp-hdrext:csrc-audio-level
    a=extmap:3 urn:ietf:params:rtp-hdrext:sdes:mid
    a=fmtp:109 maxplaybackrate=48000;stereo=1;useinbandfec=1
    a=fmtp:101 0-15
    a=ice-pwd:2f8a1a9f43b5a2c3f0d8b90d31d3a1c7
    a=ice-ufrag:6f0f0f1e
    a=mid:0
    a=msid:{5f1a4f5e-4e0c-4a0c-9a55-9f0a6a1d3b11} {c2d3c6de-7a09-4a3e-8b53-1f0c5f3f1a10}
    a=rtcp-mux
    a=rtpmap:109 opus/48000/2
    a=rtpmap:9 G722/8000/1
    a=rtpmap:0 PCMU/8000
    a=rtpmap:8 PCMA/8000
    a=rtpmap:101 telephone-event/8000/1
    a=setup:actpass
    a=ssrc:2655508255 cname:{735484ea-4f6c-f74a-bd66-7425f8476c2e}
    m=video 9 UDP/TLS/RTP/SAVPF 120 124 121 125 126 127 97 98
    c=IN IP4 0.0.0.0
    a=sendonly
    a=extmap:3 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:4 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=extmap:5 urn:ietf:params:rtp-hdrext:toffset
    a=extmap:6/recvonly http://www.webrtc.org/experiments/rtp-hdrext/playout-delay
    a=extmap:7 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:8/sendonly urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id
    a=fmtp:126 profile-level-id=42e01f;level-asymmetry-allowed=1;packetization-mode=1
    a=fmtp:97 profile-level-id=42e01f;level-asymmetry-allowed=1
    a=fmtp:120 max-fs=12288;max-fr=60
    a=fmtp:124 apt=120
    a=fmtp:121 max-fs=12288;max-fr=60
    a=fmtp:125 apt=121
    a=fmtp:127 apt=126
    a=fmtp:98 apt=97
    a=ice-pwd:2f8a1a9f43b5a2c3f0d8b90d31d3a1c7
    a=ice-ufrag:6f0f0f1e
    a=mid:1
    a=msid:{5f1a4f5e-4e0c-4a0c-9a55-9f0a6a1d3b11} {e7a1c0b0-2c43-4f6e-8d7a-1a2b3c4d5e6f}
    a=rid:hi send
    a=rid:lo send
    a=rtcp-fb:120 nack
    a=rtcp-fb:120 nack pli
    a=rtcp-fb:120 ccm fir
    a=rtcp-fb:120 goog-remb
    a=rtcp-fb:120 transport-cc
    a=rtcp-fb:121 nack
    a=rtcp-fb:121 nack pli
    a=rtcp-fb:121 ccm fir
    a=rtcp-fb:121 goog-remb
    a=rtcp-fb:121 transport-cc
    a=rtcp-fb:126 nack
    a=rtcp-fb:126 nack pli
    a=rtcp-fb:126 ccm fir
    a=rtcp-fb:126 goog-remb
    a=rtcp-fb:126 transport-cc
    a=rtcp-fb:97 nack
    a=rtcp-fb:97 nack pli
    a=rtcp-fb:97 ccm fir
    a=rtcp-mux
    a=rtcp-rsize
    a=rtpmap:120 VP8/90000
    a=rtpmap:124 rtx/90000
    a=rtpmap:121 VP9/90000
    a=rtpmap:125 rtx/90000
    a=rtpmap:126 H264/90000
    a=rtpmap:127 rtx/90000
    a=rtpmap:97 H264/90000
    a=rtpmap:98 rtx/90000
    a=setup:actpass
    a=simulcast:send hi;lo
    m=audio 0 UDP/TLS/RTP/SAVPF 109 9 0 8 101
    c=IN IP4 0.0.0.0
    a=bundle-only
    a=recvonly
    a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=extmap:2/recvonly urn:ietf:params:rtp-hdrext:csrc-audio-level
    a=extmap:3 urn:ietf:params:rtp-hdrext:sdes:mid
    a=fmtp:109 maxplaybackrate=48000;stereo=1;useinbandfec=1
    a=mid:2
    a=rtcp-mux
    a=rtpmap:109 opus/48000/2
    a=rtpmap:9 G722/8000/1
    a=rtpmap:0 PCMU/8000
    a=rtpmap:8 PCMA/8000
    a=rtpmap:101 telephone-event/8000/1
    a=setup:actpass
    m=video 0 UDP/TLS/RTP/SAVPF 120 124 121 125
    c=IN IP4 0.0.0.0
    a=bundle-only
    a=recvonly
    a=extmap:3 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:4 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=extmap:7 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=fmtp:120 max-fs=12288;max-fr=60
    a=fmtp:124 apt=120
    a=fmtp:121 max-fs=12288;max-fr=60
    a=fmtp:125 apt=121
    a=mid:3
    a=rtcp-fb:* nack
    a=rtcp-fb:* nack pli
    a=rtcp-mux
    a=rtcp-rsize
    a=rtpmap:120 VP8/90000
    a=rtpmap:124 rtx/90000
    a=rtpmap:121 VP9/90000
    a=rtpmap:125 rtx/90000
    a=setup:actpass

    """

  /// Safari: H.264 first, both directions at once, one video slot.
  static let safari = """
    v=0
    o=- 5372480929872183472 2 IN IP4 127.0.0.1
    s=-
    t=0 0
    a=group:BUNDLE 0 1 2
    a=extmap-allow-mixed
    a=msid-semantic: WMS 7cf3b4b4-7e3f-4bd5-a0a0-1ce6cc2d1d0f
    m=audio 9 UDP/TLS/RTP/SAVPF 111 63 9 0 8 13 110 126
    c=IN IP4 0.0.0.0
    a=rtcp:9 IN IP4 0.0.0.0
    a=ice-ufrag:vQ8k
    a=ice-pwd:XKpIlgYh0h0j0sIvsR7xWq2B
    a=ice-options:trickle
    a=fingerprint:sha-256 5A:10:9E:5F:2A:17:33:11:6C:0D:C5:B0:2E:5F:62:AE:8A:9E:AD:9B:B7:0E:5F:1B:C9:BE:7B:B9:3B:3E:50:77
    a=setup:actpass
    a=mid:0
    a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=sendrecv
    a=msid:7cf3b4b4-7e3f-4bd5-a0a0-1ce6cc2d1d0f 0b6f6f0c-9b16-4c3e-8f62-1fb0b4cf9f0b
    a=rtcp-mux
    a=rtcp-rsize
    a=rtpmap:111 opus/48000/2
    a=rtcp-fb:111 transport-cc
    a=fmtp:111 minptime=10;useinbandfec=1
    a=rtpmap:63 red/48000/2
    a=fmtp:63 111/111
    a=rtpmap:9 G722/8000
    a=rtpmap:0 PCMU/8000
    a=rtpmap:8 PCMA/8000
    a=rtpmap:13 CN/8000
    a=rtpmap:110 telephone-event/48000
    a=rtpmap:126 telephone-event/8000
    a=ssrc:1385261914 cname:2mJv8d4zRkQmYw1N
    a=ssrc:1385261914 msid:7cf3b4b4-7e3f-4bd5-a0a0-1ce6cc2d1d0f 0b6f6f0c-9b16-4c3e-8f62-1fb0b4cf9f0b
    m=video 9 UDP/TLS/RTP/SAVPF 96 97 98 99 100 101 127
    c=IN IP4 0.0.0.0
    a=rtcp:9 IN IP4 0.0.0.0
    a=ice-ufrag:vQ8k
    a=ice-pwd:XKpIlgYh0h0j0sIvsR7xWq2B
    a=ice-options:trickle
    a=fingerprint:sha-256 5A:10:9E:5F:2A:17:33:11:6C:0D:C5:B0:2E:5F:62:AE:8A:9E:AD:9B:B7:0E:5F:1B:C9:BE:7B:B9:3B:3E:50:77
    a=setup:actpass
    a=mid:1
    a=extmap:14 urn:ietf:params:rtp-hdrext:toffset
    a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=extmap:13 urn:3gpp:video-orientation
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:5 http://www.webrtc.org/experiments/rtp-hdrext/playout-delay
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:10 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id
    a=extmap:11 urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id
    a=sendrecv
    a=msid:7cf3b4b4-7e3f-4bd5-a0a0-1ce6cc2d1d0f 4f1b8a2c-0a5d-4a7e-9ef0-6f1a7b4e9c55
    a=rtcp-mux
    a=rtcp-rsize
    a=rtpmap:96 H264/90000
    a=rtcp-fb:96 goog-remb
    a=rtcp-fb:96 transport-cc
    a=rtcp-fb:96 ccm fir
    a=rtcp-fb:96 nack
    a=rtcp-fb:96 nack pli
    a=fmtp:96 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=640c1f
    a=rtpmap:97 rtx/90000
    a=fmtp:97 apt=96
    a=rtpmap:98 H264/90000
    a=rtcp-fb:98 goog-remb
    a=rtcp-fb:98 transport-cc
    a=rtcp-fb:98 ccm fir
    a=rtcp-fb:98 nack
    a=rtcp-fb:98 nack pli
    a=fmtp:98 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f
    a=rtpmap:99 rtx/90000
    a=fmtp:99 apt=98
    a=rtpmap:100 VP8/90000
    a=rtcp-fb:100 goog-remb
    a=rtcp-fb:100 transport-cc
    a=rtcp-fb:100 ccm fir
    a=rtcp-fb:100 nack
    a=rtcp-fb:100 nack pli
    a=rtpmap:101 rtx/90000
    a=fmtp:101 apt=100
    a=rtpmap:127 red/90000
    a=ssrc-group:FID 3171270117 1219233455
    a=ssrc:3171270117 cname:2mJv8d4zRkQmYw1N
    a=ssrc:3171270117 msid:7cf3b4b4-7e3f-4bd5-a0a0-1ce6cc2d1d0f 4f1b8a2c-0a5d-4a7e-9ef0-6f1a7b4e9c55
    a=ssrc:1219233455 cname:2mJv8d4zRkQmYw1N
    a=ssrc:1219233455 msid:7cf3b4b4-7e3f-4bd5-a0a0-1ce6cc2d1d0f 4f1b8a2c-0a5d-4a7e-9ef0-6f1a7b4e9c55
    m=video 9 UDP/TLS/RTP/SAVPF 96 97 98 99 100 101 127
    c=IN IP4 0.0.0.0
    a=rtcp:9 IN IP4 0.0.0.0
    a=ice-ufrag:vQ8k
    a=ice-pwd:XKpIlgYh0h0j0sIvsR7xWq2B
    a=ice-options:trickle
    a=fingerprint:sha-256 5A:10:9E:5F:2A:17:33:11:6C:0D:C5:B0:2E:5F:62:AE:8A:9E:AD:9B:B7:0E:5F:1B:C9:BE:7B:B9:3B:3E:50:77
    a=setup:actpass
    a=mid:2
    a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=recvonly
    a=rtcp-mux
    a=rtcp-rsize
    a=rtpmap:96 H264/90000
    a=rtcp-fb:96 nack
    a=rtcp-fb:96 nack pli
    a=fmtp:96 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=640c1f
    a=rtpmap:97 rtx/90000
    a=fmtp:97 apt=96
    a=rtpmap:98 H264/90000
    a=fmtp:98 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f
    a=rtpmap:99 rtx/90000
    a=fmtp:99 apt=98
    a=rtpmap:100 VP8/90000
    a=rtpmap:101 rtx/90000
    a=fmtp:101 apt=100
    a=rtpmap:127 red/90000

    """

  static let all = [
    Named(name: "Chromium", text: chromiumSlots), Named(name: "Chromium, addTrack", text: chromiumDefault),
    Named(name: "aiortc", text: aiortc), Named(name: "Firefox", text: firefox), Named(name: "Safari", text: safari),
  ]
}
