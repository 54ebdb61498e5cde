"""People drawn for the pictures of the guides, as files that Chromium takes for its camera."""

from __future__ import annotations

import base64
from pathlib import Path

import numpy as np
from playwright.sync_api import Page

from media import RATE

WIDTH, HEIGHT = 640, 360

#: The wall from left to right, the shirt, the skin, the hair, the plant, and whether the hair is long.
PEOPLE = {
    "Amara Okafor": ("#dcbfa6", "#a9a04c", "#c97528", "#855132", "#120a06", "#5f8f43", True),
    "Lena Weber": ("#bfa3d2", "#8f4f9f", "#2f4183", "#fbdcb8", "#8a5430", "#6d2f57", False),
    "Diego Marín": ("#b2d9c2", "#63aa97", "#8f2546", "#c78f67", "#0b0808", "#4a7f7c", False),
    "Tom Hughes": ("#d0a9b6", "#93485d", "#1d4046", "#fde3cc", "#cfab48", "#77794a", False),
    "Sam Rivera": ("#5a68a0", "#9fb6cc", "#2f6a62", "#e7b48f", "#38271f", "#6c4a7a", False),
}

DRAWING = """<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 640 360">
  <defs><linearGradient id="wall" x2="1" y2=".5"><stop stop-color="{left}"/><stop offset="1" stop-color="{right}"/></linearGradient></defs>
  <rect width="640" height="360" fill="url(#wall)"/>
  <rect x="458" y="44" width="122" height="150" rx="4" fill="#fff" opacity=".4"/>
  <ellipse cx="92" cy="232" rx="42" ry="84" fill="{plant}" opacity=".8"/>
  <rect y="304" width="640" height="56" opacity=".16"/>
  {behind}
  <path d="M168 360 C176 288 236 256 320 256 S464 288 472 360Z" fill="{shirt}"/>
  <rect x="291" y="206" width="58" height="66" rx="26" fill="{skin}"/>
  <ellipse cx="320" cy="158" rx="59" ry="72" fill="{skin}"/>
  <path d="M256 158 C248 92 282 62 320 62 S392 92 384 158 C376 118 352 108 320 110 S264 118 256 158Z" fill="{hair}"/>
  <g fill="#241c1a"><circle cx="297" cy="160" r="6"/><circle cx="343" cy="160" r="6"/></g>
  <path d="M296 190 C304 208 336 208 344 190" fill="none" stroke="#3a2320" stroke-width="5" stroke-linecap="round"/>
</svg>"""

PIXELS = """async (drawing) => {
  const picture = new Image();
  picture.src = `data:image/svg+xml,${encodeURIComponent(drawing)}`;
  await picture.decode();
  const canvas = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
  canvas.drawImage(picture, 0, 0);
  const { data } = canvas.getImageData(0, 0, picture.width, picture.height);
  let text = "";
  for (let at = 0; at < data.length; at += 8192) { text += String.fromCharCode(...data.subarray(at, at + 8192)); }
  return btoa(text);
}"""


def portrait(page: Page, name: str, folder: Path) -> Path:
    """Has the page draw one of ``PEOPLE``, and writes it as YUV4MPEG2, which Chromium plays in a loop."""
    left, right, shirt, skin, hair, plant, is_long = PEOPLE[name]
    behind = f'<path d="M250 150 C250 80 390 80 390 150 V290 H250Z" fill="{hair}"/>' if is_long else ""
    drawing = DRAWING.format(width=WIDTH, height=HEIGHT, left=left, right=right, shirt=shirt, skin=skin, hair=hair, plant=plant, behind=behind)
    pixels = np.frombuffer(base64.b64decode(page.evaluate(PIXELS, drawing)), np.uint8).reshape(HEIGHT, WIDTH, 4)[:, :, :3].astype(float)
    # BT.601 in studio range, as cameras send it.
    weights = np.array(((65.738, 129.057, 25.064), (-37.945, -74.494, 112.439), (112.439, -94.154, -18.285))) / 256
    y, u, v = np.moveaxis(pixels @ weights.T, 2, 0)
    half = [plane.reshape(HEIGHT // 2, 2, WIDTH // 2, 2).mean((1, 3)) + 128 for plane in (u, v)]
    frame = b"FRAME\n" + b"".join(plane.round().astype(np.uint8).tobytes() for plane in (y + 16, *half))
    path = folder / f"{name}.y4m"
    path.write_bytes(f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F{RATE}:1 Ip A1:1 C420jpeg\n".encode() + 2 * frame)
    return path
