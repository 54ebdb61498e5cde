"""Gets lost packets back for aiortc, which cannot do that by itself.

Its router doesn't know the SSRCs of retransmissions (RFC 4588) and discards them where several receivers share a
payload type. It asks for a lost packet once, and its jitter buffer waits for it until 512 later ones have come: a
minute or more of a small video. One lost packet, as on a busy machine, would therefore stop the video."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

from aiortc import rtcdtlstransport, rtcrtpreceiver
from aiortc.rtcdtlstransport import RTCDtlsTransport, RtpRouter
from aiortc.rtcrtpreceiver import NackGenerator

#: A missing packet is asked for again after so many seconds.
REPEAT = 0.2


class Router(RtpRouter):
    """Routes retransmissions by the ``FID`` groups of the answer, and loses packets of video on demand."""

    #: How many packets of video are to be lost.
    losing = 0
    #: How many retransmissions have come.
    retransmissions = 0

    def __init__(self) -> None:
        super().__init__()
        #: How many packets of each SSRC and payload type belonged to no receiver.
        self.discarded: Counter[tuple[int, int]] = Counter()
        self._retransmitted: set[int] = set()

    def register_retransmissions(self, receiver: Any, ssrcs: set[int]) -> None:
        self._retransmitted |= ssrcs
        self.ssrc_table.update((ssrc, receiver) for ssrc in ssrcs)

    def route_rtp(self, packet: Any) -> Any:
        receiver = super().route_rtp(packet)
        if receiver is None:
            self.discarded[packet.ssrc, packet.payload_type] += 1
        if packet.ssrc in self._retransmitted:
            self.retransmissions += 1
        elif self.losing and receiver and receiver.track.kind == "video":
            self.losing -= 1
            return None
        return receiver


class RepeatedNacks(NackGenerator):
    """Asks again for what is still missing."""

    def __init__(self) -> None:
        super().__init__()
        self._asked = 0.0

    def add(self, packet: Any) -> bool:
        now = time.monotonic()
        if not super().add(packet) and not (self.missing and now - self._asked > REPEAT):
            return False
        self._asked = now
        return True


def _register(transport: RTCDtlsTransport, receiver: Any, parameters: Any) -> None:
    _register_receiver(transport, receiver, parameters)
    transport._rtp_router.register_retransmissions(
        receiver, {encoding.rtx.ssrc for encoding in parameters.encodings if encoding.rtx})


_register_receiver = RTCDtlsTransport._register_rtp_receiver
RTCDtlsTransport._register_rtp_receiver = _register
rtcdtlstransport.RtpRouter = Router
rtcrtpreceiver.NackGenerator = RepeatedNacks
