import Basics
import Foundation
import Media
import RTC

let usage = """
  Measures the CPU time for a second of 1280×720 at 30 frames, and of sound, through Parley's types and through the same library used
  bare, in turns in one run. Prints the table of docs/benchmarks/client.md.

  usage: codec-bench [SECONDS] [AV1.ivf]
         codec-bench --y4m FILE

  Parley cannot encode AV1, so its stream comes from a file: --y4m writes the scene, to be encoded with aomenc.
  """

var arguments = Array(CommandLine.arguments.dropFirst())
if arguments.contains("--help") || arguments.contains("-h") {
  print(usage)
  exit(0)
}
if arguments.first == "--y4m", arguments.count > 1 {
  writeScene(to: arguments[1], seconds: 4)
  exit(0)
}
let seconds = max(arguments.first.flatMap { Int($0) } ?? 4, 1)
let rounds = 5
let frames = (0..<(seconds * Scene.framesPerSecond)).map(Scene.frame)
print(
  "\(frames.count) frames of \(Scene.width)×\(Scene.height), \(Scene.bitrate.bitsPerSecond / 1_000) kb/s, median of \(rounds) rounds in turns\n"
)
print("| what | Parley, ms CPU a second | bare, ms CPU a second | ratio | kb/s | bare kb/s |")
print("|---|---|---|---|---|---|")

for codec in VideoCodecFactory.encodable {
  var ours: [TimeSpan] = []
  var bare: [TimeSpan] = []
  var encoded: [EncodedFrame] = []
  var bareBytes = 0
  for _ in 0..<rounds {
    let encoder = try VideoCodecFactory.encoder(
      for: codec,
      settings: VideoEncoderSettings(width: Scene.width, height: Scene.height, bitrate: Scene.bitrate))
    encoded.removeAll()
    ours.append(
      try CPUTime.measure {
        for frame in frames {
          if let result = try encoder.encode(frame, forceKeyframe: false) { encoded.append(result) }
        }
      })
    let other = codec == .h264 ? BareOpenH264().encode(frames) : BareVPX(isVP9: codec == .vp9).encode(frames)
    bare.append(other.cost)
    bareBytes = other.bytes
  }
  let bytes = encoded.reduce(0) { $0 + $1.data.count }
  line("\(codec.name) encode", ours, bare, rates: (bytes, bareBytes))
  try decode(codec, encoded)
}
if arguments.count > 1, let units = IVFFile.frames(of: arguments[1]) {
  try decode(
    .av1, units.map { EncodedFrame(codec: .av1, data: $0, timestamp: RTPTimestamp(rawValue: 0)) },
    seconds: Double(units.count) / Double(Scene.framesPerSecond))
}
try opus()

func decode(_ codec: Codec, _ encoded: [EncodedFrame], seconds length: Double? = nil) throws {
  let data = encoded.map(\.data)
  var ours: [TimeSpan] = []
  var bare: [TimeSpan] = []
  for _ in 0..<rounds {
    let decoder = try VideoCodecFactory.decoder(for: codec)
    ours.append(try CPUTime.measure { for frame in encoded { _ = try decoder.decode(frame) } })
    switch codec {
    case .h264: bare.append(BareOpenH264().decode(data).cost)
    case .av1: bare.append(BareDav1d().decode(data).cost)
    default: bare.append(BareVPX(isVP9: codec == .vp9).decode(data).cost)
    }
  }
  line("\(codec.name) decode", ours, bare, seconds: length)
}

func opus() throws {
  let count = seconds * 5 * AudioFrame.sampleRate
  let samples = (0..<count).map { index in
    let time = Double(index) / 48_000
    let pitch = 2 * Double.pi * (140 * time + 12 * sin(5 * Double.pi * time))
    let loudness = 0.25 + 0.2 * sin(8 * Double.pi * time)
    return Int16((sin(pitch) + sin(2 * pitch) / 2 + sin(5 * pitch) / 4) * loudness * 20_000)
  }
  let sound = stride(from: 0, to: count, by: 480).map {
    AudioFrame(samples: Array(samples[$0..<($0 + 480)]), time: .milliseconds(Int64($0 / 48)))
  }
  var (ours, bare): ([TimeSpan], [TimeSpan]) = ([], [])
  var (oursBack, bareBack): ([TimeSpan], [TimeSpan]) = ([], [])
  var bytes = (0, 0)
  for _ in 0..<rounds {
    let encoder = try OpusEncoder()
    var packets: [[UInt8]] = []
    ours.append(
      try CPUTime.measure {
        for frame in sound { if let packet = try encoder.encode(frame) { packets.append(packet.data) } }
      })
    let other = BareOpus().encode(samples)
    bare.append(other.cost)
    bytes = (packets.reduce(0) { $0 + $1.count }, other.packets.reduce(0) { $0 + $1.count })
    let decoder = try OpusDecoder()
    oursBack.append(try CPUTime.measure { for packet in packets { _ = try decoder.decode(packet, time: .zero) } })
    bareBack.append(BareOpus().decode(packets))
  }
  line("Opus encode", ours, bare, rates: bytes, seconds: Double(seconds * 5))
  line("Opus decode", oursBack, bareBack, seconds: Double(seconds * 5))
}

func line(
  _ what: String, _ ours: [TimeSpan], _ bare: [TimeSpan], rates: (Int, Int)? = nil, seconds length: Double? = nil
) {
  let length = length ?? Double(seconds)
  func median(_ spans: [TimeSpan]) -> Double { spans.sorted()[spans.count / 2].seconds * 1_000 / length }
  func rate(_ bytes: Int?) -> String { bytes.map { String(Int(Double($0) * 8 / 1_000 / length)) } ?? "" }
  let (a, b) = (median(ours), median(bare))
  print(
    "| \(what) | \(String(format: "%.1f", a)) | \(String(format: "%.1f", b)) | \(String(format: "%.2f", a / b)) | \(rate(rates?.0)) | \(rate(rates?.1)) |"
  )
}

func writeScene(to path: String, seconds: Int) {
  guard let file = fopen(path, "wb") else { return }
  defer { fclose(file) }
  fputs("YUV4MPEG2 W\(Scene.width) H\(Scene.height) F30:1 Ip A1:1 C420jpeg\n", file)
  for index in 0..<(seconds * Scene.framesPerSecond) {
    fputs("FRAME\n", file)
    let bytes = Scene.frame(index).bytes(as: .i420)
    fwrite(bytes, 1, bytes.count, file)
  }
}
