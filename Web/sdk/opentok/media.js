import { Devices } from "../devices.js";

/** How tall a picture of `resolution` (`1280x720`) is; undefined where that is not said. */
function height(resolution) {
  const match = /^\d+x(\d+)$/.exec(resolution ?? "");
  return match ? Number(match[1]) : undefined;
}

/** How many pictures a second a publisher's properties ask for; undefined where they do not. */
export function askedRate({ frameRate }) { return frameRate >= 1 && frameRate <= 30 ? Number(frameRate) : undefined; }

/** Limits the frame rate of a track. A track that can't be limited stays as it is; receivers may ask for less. */
async function limit(track, rate) {
  if (!track || rate === undefined) { return; }
  await track.applyConstraints({ ...track.getConstraints(), frameRate: { ideal: rate, max: rate } }).catch(() => {});
}

/** An error of a device under the library's name. */
function named(error, kit) {
  const names = { denied: "OT_USER_MEDIA_ACCESS_DENIED", cancelled: "OT_USER_MEDIA_ACCESS_DENIED", deviceNotFound: "OT_NO_DEVICES_FOUND" };
  return new kit.OTError(names[error?.code] ?? "OT_HARDWARE_UNAVAILABLE", String(error?.message ?? error));
}

/**
 * Opens what a publisher's properties name: devices, the screen, or tracks that the page has made.
 *
 * @param {object} properties `audioSource`, `videoSource` (a track, a device's id, `"screen"`; null or false for none),
 *   `resolution`, `frameRate`, `facingMode`
 * @param {object} kit
 * @returns {Promise<{audio: MediaStreamTrack|null, video: MediaStreamTrack|null, isScreen: boolean}>}
 */
export async function open(properties, kit) {
  const { audioSource, videoSource } = properties;
  const devices = new Devices();
  const isNone = (source) => source === null || source === false;
  try {
    if (["screen", "window", "application", "browser"].includes(videoSource)) {
      const shared = await devices.openScreen();
      await limit(shared.video, askedRate(properties));
      const audio = audioSource instanceof MediaStreamTrack ? audioSource : shared.audio;
      return { audio, video: shared.video, isScreen: true };
    }
    const found = { audio: null, video: null, isScreen: properties.videoContentHint === "text" };
    if (audioSource instanceof MediaStreamTrack) { found.audio = audioSource; }
    if (videoSource instanceof MediaStreamTrack) { found.video = videoSource; }
    const wantsAudio = found.audio === null && !isNone(audioSource);
    const wantsVideo = found.video === null && !isNone(videoSource);
    const microphone = { deviceId: typeof audioSource === "string" ? audioSource : undefined };
    const camera = {
      deviceId: typeof videoSource === "string" ? videoSource : undefined, facingMode: properties.facingMode, resolution: height(properties.resolution) ?? 480,
    };
    if (wantsAudio && wantsVideo) {
      const both = await devices.openBoth({ microphone, camera, resolution: camera.resolution });
      if (both.microphone instanceof Error && both.camera instanceof Error) { throw both.camera; }
      found.audio = both.microphone instanceof Error ? null : both.microphone;
      found.video = both.camera instanceof Error ? null : both.camera;
    } else if (wantsAudio) {
      found.audio = await devices.openMicrophone(microphone);
    } else if (wantsVideo) {
      found.video = await devices.openCamera(camera);
    }
    if (wantsVideo) { await limit(found.video, askedRate(properties)); }
    return found;
  } catch (error) {
    throw named(error, kit);
  }
}

/**
 * `OT.getUserMedia`: the tracks of a publisher's properties as one stream.
 *
 * @param {object} properties
 * @param {object} kit
 * @returns {Promise<MediaStream>}
 */
export async function userMedia(properties, kit) {
  const { audio, video } = await open(properties, kit);
  return new MediaStream([audio, video].filter(Boolean));
}
