"""Envelopes between identities, opened with the recipient's keys: HPKE (RFC 9180) in auth mode."""

from __future__ import annotations

import hashlib
import hmac

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

KEM, SUITE = b"KEM\x00\x20", b"HPKE\x00\x20\x00\x01\x00\x01"
#: Version and sender, before the encapsulated key.
HEAD = 9
SIGNATURE = 64


def _extract(suite: bytes, salt: bytes, label: bytes, secret: bytes) -> bytes:
    return hmac.digest(salt or bytes(32), b"HPKE-v1" + suite + label + secret, "sha256")


def _expand(suite: bytes, key: bytes, label: bytes, info: bytes, length: int) -> bytes:
    text = length.to_bytes(2) + b"HPKE-v1" + suite + label + info
    return hmac.digest(key, text + b"\x01", "sha256")[:length]


def _raw(public: object) -> bytes:
    return public.public_bytes(Encoding.Raw, PublicFormat.Raw)


class IdentityKeys:
    """The private keys of an identity: one signs, the other opens envelopes."""

    def __init__(self, signing: bytes, encryption: bytes):
        self.encryption = X25519PrivateKey.from_private_bytes(encryption)
        self.public = _raw(self.encryption.public_key())
        signer = _raw(Ed25519PrivateKey.from_private_bytes(signing).public_key())
        self.fingerprint = hashlib.sha256(b"Parley identity fingerprint 1\0" + signer + self.public).digest()

    def open_call(self, envelope: bytes, subject: str, recipient: int, sender: IdentityKeys) -> bytes:
        """The content of an envelope about a call."""
        info = b"Parley identity envelope 1\0"
        for text in ("call", subject):
            info += len(text.encode()).to_bytes(2) + text.encode()
        info += recipient.to_bytes(8) + sender.fingerprint + self.fingerprint
        encapsulated = envelope[HEAD:HEAD + 32]
        shared = b"".join(self.encryption.exchange(X25519PublicKey.from_public_bytes(key)) for key in (encapsulated, sender.public))
        context = encapsulated + self.public + sender.public
        secret = _expand(KEM, _extract(KEM, b"", b"eae_prk", shared), b"shared_secret", context, 32)
        schedule = b"\x02" + _extract(SUITE, b"", b"psk_id_hash", b"") + _extract(SUITE, b"", b"info_hash", info)
        prk = _extract(SUITE, secret, b"secret", b"")
        key, nonce = (_expand(SUITE, prk, label, schedule, length) for label, length in ((b"key", 16), (b"base_nonce", 12)))
        return AESGCM(key).decrypt(nonce, envelope[HEAD + 32:-SIGNATURE], envelope[:HEAD])
