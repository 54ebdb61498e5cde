// The page's real audio and video. Put into each page of the tests; uses the page's own SDK and elements only.
(() => {
  const participant = (name) => [...window.parley.participants.values()].find((each) => each.name === name);
  const track = (name, source) => participant(name)?.publication(source)?.track?.mediaStreamTrack;
  const element = (name, source) => {
    const wanted = track(name, source);
    return wanted && [...document.querySelectorAll("video")].find((each) => each.srcObject?.getVideoTracks().includes(wanted));
  };

  /** Watches somebody's picture: frames decoded, background colour, and where the white bar was (0…1) at which time. */
  async function watch(name, source, milliseconds) {
    const video = element(name, source);
    if (!video) { return { problem: `no <video> shows the ${source} of ${name}` }; }
    const canvas = Object.assign(document.createElement("canvas"), { width: 80, height: 45 });
    const context = canvas.getContext("2d", { willReadFrequently: true });
    const start = video.getVideoPlaybackQuality().totalVideoFrames;
    const bars = [];
    let colour = null;
    const end = performance.now() + milliseconds;
    while (performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      if (!video.videoWidth) { continue; }
      context.drawImage(video, 0, 0, 80, 45);
      const { data } = context.getImageData(0, 22, 80, 1);
      const white = [];
      const rest = [[], [], []];
      for (let x = 0; x < 80; x += 1) {
        const pixel = [data[4 * x], data[4 * x + 1], data[4 * x + 2]];
        if (Math.min(...pixel) > 170) { white.push(x); } else { pixel.forEach((value, index) => rest[index].push(value)); }
      }
      colour = rest.map((values) => values.sort((a, b) => a - b)[values.length >> 1] ?? 255);
      // A bar that is cut by the edge has no middle worth the name.
      if (white.length > 2 && white.at(-1) - white[0] < 16) {
        bars.push([performance.now(), (white[0] + white.at(-1)) / 160]);
      }
    }
    return {
      frames: video.getVideoPlaybackQuality().totalVideoFrames - start, colour, bars,
      width: video.videoWidth, height: video.videoHeight, paused: video.paused,
    };
  }

  /**
   * Reads the strip of a test picture (TestPictureMarker.swift): source and milliseconds of the day; null where there
   * is none.
   */
  function readMarker(context, width, height) {
    const strip = height / 30;
    const top = Math.floor(height - 0.75 * strip);
    const rows = Math.max(1, Math.floor(strip / 2));
    const { data } = context.getImageData(0, top, width, rows);
    const size = width / 48;
    const means = Array.from({ length: 48 }, (_, block) => {
      let sum = 0;
      let count = 0;
      for (let row = 0; row < rows; row += 1) {
        for (let x = Math.floor((block + 0.3) * size); x < Math.floor((block + 0.7) * size); x += 1) {
          sum += data[4 * (row * width + x) + 1];
          count += 1;
        }
      }
      return sum / count;
    });
    const low = Math.min(...means);
    const high = Math.max(...means);
    if (high - low < 70) { return null; }
    const bits = means.map((mean) => (mean > (low + high) / 2 ? 1 : 0));
    let sum = 0xfff;
    for (const bit of bits.slice(0, 36)) {
      const feedback = bit ^ ((sum >> 11) & 1);
      sum = (sum << 1) & 0xfff;
      if (feedback) { sum ^= 0x80f; }
    }
    const number = (from, to) => bits.slice(from, to).reduce((value, bit) => value * 2 + bit, 0);
    if (number(36, 48) !== sum) { return null; }
    return { source: number(0, 8), milliseconds: number(8, 35), flash: bits[35] === 1 };
  }

  /**
   * Looks at each picture that somebody's <video> presents: its marker, when it is on the screen, and how old it is
   * then.
   */
  async function markers(name, source, milliseconds) {
    const video = element(name, source);
    if (!video) { return { problem: `no <video> shows the ${source} of ${name}` }; }
    const canvas = document.createElement("canvas");
    const context = canvas.getContext("2d", { willReadFrequently: true });
    const marks = [];
    const start = performance.now();
    let running = true;
    const take = (now, { expectedDisplayTime, width, height }) => {
      if (!running) { return; }
      video.requestVideoFrameCallback(take);
      Object.assign(canvas, { width, height });
      context.drawImage(video, 0, 0, width, height);
      const marker = readMarker(context, width, height) ?? { source: null, milliseconds: null, flash: null };
      const day = (performance.timeOrigin + expectedDisplayTime) % 86_400_000;
      marks.push({ ...marker, shown: expectedDisplayTime, delay: marker.milliseconds === null ? null : day - marker.milliseconds });
    };
    video.requestVideoFrameCallback(take);
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    running = false;
    const seconds = marks.length > 1 ? (marks.at(-1).shown - marks[0].shown) / 1000 : (performance.now() - start) / 1000;
    return { marks, rate: Math.max(0, marks.length - 1) / seconds, width: video.videoWidth, height: video.videoHeight };
  }

  /**
   * The next pictures that somebody's <video> presents, as the decoder put them out: the bytes of their planes, before
   * any conversion of colours.
   */
  async function pictures(name, source, count, milliseconds) {
    const video = element(name, source);
    if (!video) { return { problem: `no <video> shows the ${source} of ${name}` }; }
    const taken = [];
    let running = true;
    const copies = [];
    const take = () => {
      if (!running || copies.length >= count) { return; }
      video.requestVideoFrameCallback(take);
      const frame = new VideoFrame(video, { timestamp: 0 });
      const { format, visibleRect: { width, height } } = frame;
      const bytes = new Uint8Array(frame.allocationSize());
      copies.push(frame.copyTo(bytes).then(() => taken.push({ format, width, height, bytes })).finally(() => frame.close()));
    };
    video.requestVideoFrameCallback(take);
    const end = performance.now() + milliseconds;
    while (taken.length < count && performance.now() < end) { await new Promise((resolve) => setTimeout(resolve, 50)); }
    running = false;
    await Promise.all(copies);
    const text = (bytes) => {
      let characters = "";
      for (let start = 0; start < bytes.length; start += 8192) {
        characters += String.fromCharCode(...bytes.subarray(start, start + 8192));
      }
      return btoa(characters);
    };
    return { pictures: taken.map(({ bytes, ...rest }) => ({ ...rest, data: text(bytes) })) };
  }

  /**
   * The frequency of somebody's tone to a fraction of a hertz: the top of the parabola through the three strongest
   * lines.
   */
  async function tone(name) {
    const heard = track(name, "microphone");
    if (!heard) { return { problem: `no microphone of ${name}` }; }
    const context = new AudioContext({ sampleRate: 48000 });
    await context.resume();
    const analyser = new AnalyserNode(context, { fftSize: 32768, smoothingTimeConstant: 0 });
    context.createMediaStreamSource(new MediaStream([heard])).connect(analyser);
    // The analyser looks at the last 0.7 s.
    while (context.currentTime < 1) { await new Promise((resolve) => setTimeout(resolve, 100)); }
    const spectrum = new Float32Array(analyser.frequencyBinCount);
    analyser.getFloatFrequencyData(spectrum);
    await context.close();
    let peak = 42;
    for (let bin = 42; bin < 4000; bin += 1) { if (spectrum[bin] > spectrum[peak]) { peak = bin; } }
    const [left, middle, right] = [spectrum[peak - 1], spectrum[peak], spectrum[peak + 1]];
    const bend = left - 2 * middle + right;
    return { level: middle, frequency: (peak + (bend ? (0.5 * (left - right)) / bend : 0)) * 48000 / 32768 };
  }

  /** For the lip-sync signal of the Swift client: by how many milliseconds each beep comes after its picture. */
  async function flashesAndBeeps(name, milliseconds) {
    const heard = track(name, "microphone");
    if (!heard) { return { problem: `no microphone of ${name}` }; }
    const context = new AudioContext({ sampleRate: 48000 });
    await context.resume();
    const analyser = new AnalyserNode(context, { fftSize: 4096, smoothingTimeConstant: 0 });
    context.createMediaStreamSource(new MediaStream([heard])).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    const beeps = [];
    let last = -1;
    const timer = setInterval(() => {
      analyser.getFloatTimeDomainData(samples);
      const end = context.currentTime;
      const index = samples.findIndex((value) => Math.abs(value) > 0.1);
      if (index < 0) { return; }
      const time = end - (samples.length - index) / context.sampleRate;
      const { contextTime, performanceTime } = context.getOutputTimestamp();
      // The window of 85 ms overlaps the one before: what began less than 0.5 s ago is the same beep.
      if (time - last > 0.5 && index > 0) { beeps.push(performanceTime + (time - contextTime) * 1000); }
      last = end;
    }, 10);
    const seen = await markers(name, "camera", milliseconds);
    clearInterval(timer);
    await context.close();
    if (seen.problem) { return seen; }
    // The flash begins with the second. A busy machine may not present its first picture, but each picture says how old
    // it is when it is shown; that of the moment of the beep is what the beep is compared with.
    const known = seen.marks.filter((mark) => mark.milliseconds !== null);
    const offsets = known.length === 0 ? [] : beeps.map((beep) => {
      const nearest = known.reduce((best, mark) => (Math.abs(mark.shown - beep) < Math.abs(best.shown - beep) ? mark : best));
      const second = nearest.shown - nearest.delay - (nearest.milliseconds % 1000);
      return beep - second - nearest.delay;
    }).map((offset) => ((offset % 1000) + 1500) % 1000 - 500);
    const flashes = known.filter((mark) => mark.flash).length;
    return { flashes, offsets, rate: seen.rate };
  }

  /** Listens to somebody's microphone: the loudest frequency in hertz, and its level in decibels. */
  async function listen(name, milliseconds) {
    const heard = track(name, "microphone");
    if (!heard) { return { problem: `no microphone of ${name}` }; }
    const context = new AudioContext({ sampleRate: 48000 });
    await context.resume();
    const analyser = new AnalyserNode(context, { fftSize: 8192, smoothingTimeConstant: 0 });
    context.createMediaStreamSource(new MediaStream([heard])).connect(analyser);
    const spectrum = new Float32Array(analyser.frequencyBinCount);
    let best = { level: -Infinity, frequency: 0 };
    const end = performance.now() + milliseconds;
    while (performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 60));
      analyser.getFloatFrequencyData(spectrum);
      for (let bin = 17; bin < 500; bin += 1) {
        if (spectrum[bin] > best.level) { best = { level: spectrum[bin], frequency: bin * 48000 / 8192 }; }
      }
    }
    await context.close();
    return best;
  }

  /** Watches and listens to several people at once: by name, what `watch` and what `listen` says. */
  async function meet(names, milliseconds) {
    return Object.fromEntries(await Promise.all(names.map(async (name) =>
      [name, await Promise.all([watch(name, "camera", milliseconds), listen(name, milliseconds)])])));
  }

  /** One digest of getStats: the selected pair's protocol, and the codec of each inbound and outbound stream. */
  async function statistics() {
    const connection = window.parley.connection.peerConnection;
    const report = await connection.getStats();
    const all = [...report.values()];
    const transport = all.find((each) => each.type === "transport");
    const pair = report.get(transport?.selectedCandidatePairId);
    const codec = (each) => report.get(each.codecId)?.mimeType;
    return {
      protocol: report.get(pair?.localCandidateId)?.protocol ?? null,
      remoteProtocol: report.get(pair?.remoteCandidateId)?.protocol ?? null,
      availableOutgoingBitrate: pair?.availableOutgoingBitrate ?? null,
      ufrag: connection.localDescription.sdp.match(/a=ice-ufrag:(\S+)/)?.[1],
      inbound: all.filter((each) => each.type === "inbound-rtp").map((each) => ({
        kind: each.kind, codec: codec(each), framesDecoded: each.framesDecoded ?? 0, packetsReceived: each.packetsReceived,
        bytesReceived: each.bytesReceived, packetsLost: each.packetsLost, freezeCount: each.freezeCount ?? 0,
      })),
      outbound: all.filter((each) => each.type === "outbound-rtp").map((each) => ({
        kind: each.kind, codec: codec(each), packetsSent: each.packetsSent, framesEncoded: each.framesEncoded ?? 0,
        width: each.frameWidth ?? 0, scalabilityMode: each.scalabilityMode ?? null,
      })),
    };
  }

  const recordings = new Map();

  /**
   * Begins to note, five times a second, what the statistics say of somebody's camera and microphone; `recorded` ends
   * it.
   */
  function record(name) {
    recorded(name);
    const samples = [];
    const connection = window.parley.connection.peerConnection;
    let reading = false;
    const timer = setInterval(async () => {
      if (reading) { return; }
      reading = true;
      const report = await connection.getStats();
      reading = false;
      const of = (source) => {
        const wanted = track(name, source)?.id;
        return wanted && [...report.values()].find((each) => each.type === "inbound-rtp" && each.trackIdentifier === wanted);
      };
      const [video, audio] = [of("camera"), of("microphone")];
      samples.push({
        at: performance.now() / 1000,
        frames: video?.framesDecoded ?? 0, width: video?.frameWidth ?? 0, bytes: video?.bytesReceived ?? 0,
        frozen: video?.totalFreezesDuration ?? 0, freezes: video?.freezeCount ?? 0, paused: participant(name)?.publication("camera")?.paused ?? null,
        samples: audio?.totalSamplesReceived ?? 0, concealed: audio?.concealedSamples ?? 0,
        silent: audio?.silentConcealedSamples ?? 0,
      });
    }, 200);
    recordings.set(name, { timer, samples });
  }

  /** The notes since `record`; goes on when asked to. */
  function recorded(name, goesOn = false) {
    const recording = recordings.get(name);
    if (recording && !goesOn) {
      clearInterval(recording.timer);
      recordings.delete(name);
    }
    return recording?.samples ?? [];
  }

  window.senses = { participant, track, element, watch, listen, meet, markers, pictures, tone, flashesAndBeeps, statistics, record, recorded };
})();
