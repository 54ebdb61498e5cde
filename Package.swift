// swift-tools-version: 6.2
import PackageDescription

/// Settings of every Swift target.
let common: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// Whether the targets that tests load most are optimised in debug builds too. SwiftPM refuses such flags in the
/// checkout of a dependency.
let isOptimized = !["/checkouts/", "/registry/"].contains { Context.packageDirectory.contains($0) }

/// Settings of the targets that tests load most: optimised for tests, with the asserts of debug builds.
let heavy: [SwiftSetting] =
  common
  + (isOptimized
    ? [
      .unsafeFlags(
        ["-O", "-assert-config", "Debug", "-whole-module-optimization", "-num-threads", "2"],
        .when(configuration: .debug))
    ] : [])

/// Settings of the targets that touch bytes from the network: every unsafe construct must be
/// spelled `unsafe`, and views into buffers may be returned (`Lifetimes`).
let strict: [SwiftSetting] =
  heavy + [
    .strictMemorySafety(),
    .treatWarning("StrictMemorySafety", as: .error),
    .enableExperimentalFeature("Lifetimes"),
  ]

/// The folders of `Sources` and `Tests`, by role, with the targets in them.
let folders = [
  "Sources/Base": ["Basics", "Crypto", "Options"],
  "Sources/CLibraries": [
    "CArgon2", "CAudioProcessing", "CDav1d", "CDrawing", "CGStreamer", "CGTK", "CJOSE", "CLinux", "COpenH264",
    "COpenSSL", "COpus", "CQRCode", "CSQLite", "CVPX", "CWebSockets", "CYUV",
  ],
  "Sources/Stack": ["RTC", "Transport", "Signaling", "Messaging", "Media"],
  "Sources/Server": ["SFU", "Meetings", "MeetingServer"],
  "Sources/Client": ["Encryption", "MessagingClient", "Parley", "ParleyViews", "UIKit"],
  "Sources/DropIn": ["BBMEnterprise", "OpenTok", "SkypeForBusiness"],
  "Sources/Tools": ["ParleyCLI"],
  "Tests/Base": ["BasicsTests", "CryptoTests", "OptionsTests"],
  "Tests/Stack": ["RTCTests", "TransportTests", "SignalingTests", "MessagingTests", "MediaTests"],
  "Tests/Server": ["SFUTests", "MeetingsTests", "MeetingServerTests"],
  "Tests/Client": ["EncryptionTests", "MessagingClientTests", "ParleyTests", "ParleyViewsTests"],
  "Tests/DropIn": ["BBMEnterpriseTests", "OpenTokTests", "SkypeForBusinessTests"],
  "Tests/DropIn/Listings": [
    "BBMListing", "ViewsListing", "OpenTokListing", "OpenTokShapes", "SkypeListing", "SkypeShapes",
    "WalkthroughListing",
  ],
  "Tests/Calls": ["ConditionsTests", "QualityTests"],
  "Tests/Support": ["NetworkEmulator", "NetworkGate", "TestSeeds", "TestSupport", "TestTenants", "TestVectors"],
]

/// The base of the drop-in modules. On Linux `import UIKit`, as apps say it, is a module of this package, which comes
/// along with them; elsewhere it is the system's.
#if os(Linux)
  /// Modules of Apple's that apps name in their import lines. Their names that are there are in ParleyViews.
  let appleModules = [
    "AVFoundation", "AudioToolbox", "CallKit", "CoreGraphics", "CoreMedia", "CoreVideo", "PushKit", "QuartzCore",
  ]
  let views: [Target.Dependency] = ["ParleyViews", "UIKit"] + appleModules.map { .init(stringLiteral: $0) }
  let uiKit = ["UIKit"] + appleModules
#else
  let views: [Target.Dependency] = ["ParleyViews"]
  let uiKit = ["ParleyViews"]
#endif

let package = Package(
  name: "Parley",
  products: [
    .executable(name: "parley", targets: ["ParleyCLI"]),
    .library(name: "Parley", targets: ["Parley"]),
    .library(name: "ParleyViews", targets: ["ParleyViews"]),
    .library(name: "UIKit", targets: uiKit),
    .library(name: "BBMEnterprise", targets: ["BBMEnterprise"]),
    .library(name: "OpenTok", targets: ["OpenTok"]),
    .library(name: "SkypeForBusiness", targets: ["SkypeForBusiness"]),
  ],
  targets: [
    // Floor 0: borders to C libraries, and the values every floor shares.
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
    .systemLibrary(
      name: "CWebSockets", pkgConfig: "libwebsockets", providers: [.apt(["libwebsockets-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CJOSE", providers: [.apt(["libcjose-dev"])]),
    .systemLibrary(
      name: "CQRCode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
    .systemLibrary(name: "COpus", pkgConfig: "opus", providers: [.apt(["libopus-dev"])]),
    .systemLibrary(name: "CVPX", pkgConfig: "vpx", providers: [.apt(["libvpx-dev"])]),
    .systemLibrary(name: "COpenH264", pkgConfig: "openh264", providers: [.apt(["libopenh264-dev"])]),
    .systemLibrary(name: "CDav1d", pkgConfig: "dav1d", providers: [.apt(["libdav1d-dev"])]),
    .systemLibrary(name: "CYUV", providers: [.apt(["libyuv-dev"])]),
    .target(name: "CLinux"),
    // Loaded with dlopen when first used, never linked: a server does not pay for them.
    .target(name: "CGStreamer"),
    .target(name: "CDrawing"),
    .target(name: "CGTK"),
    // C++ behind a C interface.
    .target(
      name: "CAudioProcessing", cxxSettings: [.headerSearchPath("headers")],
      linkerSettings: [.linkedLibrary("webrtc_audio_processing")]),
    .target(name: "Basics", swiftSettings: strict),
    .target(name: "Options", swiftSettings: common),

    // Floor 1: digests, ciphers and keys; the caller of EVP besides DTLS and SRTP.
    .target(name: "Crypto", dependencies: ["CArgon2", "COpenSSL"], swiftSettings: strict),

    // Floor 1: the protocol stack, no I/O inside.
    .target(name: "RTC", dependencies: ["Basics", "Crypto", "COpenSSL"], swiftSettings: strict),

    // Floor 2: end-to-end encryption of clients, no I/O inside. Nothing of the server is built on it.
    .target(name: "Encryption", dependencies: ["Basics", "Crypto"], swiftSettings: strict),

    // Floor 2: messages, and sockets.
    .target(name: "Signaling", dependencies: ["Basics"], swiftSettings: heavy),
    .target(name: "Messaging", dependencies: ["Signaling"], swiftSettings: common),
    .target(
      name: "Transport", dependencies: ["Basics", "CLinux", "CWebSockets", "COpenSSL"],
      swiftSettings: strict),

    // Floor 2: codecs, devices, files, jitter buffers, mixing.
    .target(
      name: "Media",
      dependencies: [
        "Basics", "CLinux", "RTC", "COpus", "CVPX", "COpenH264", "CDav1d", "CYUV",
        "CGStreamer", "CDrawing", "CAudioProcessing",
      ],
      swiftSettings: heavy),

    // Floor 3: the client SDK.
    .target(
      name: "Parley", dependencies: ["Basics", "Crypto", "Encryption", "RTC", "Media", "Signaling", "Transport"],
      swiftSettings: common),

    // Floor 4: the client of the messaging service.
    .target(
      name: "MessagingClient", dependencies: ["Basics", "Crypto", "Encryption", "Messaging", "Signaling", "Transport"],
      swiftSettings: strict),

    // Floor 3: the media server's routing core and its workers; the meeting service's records.
    .target(name: "SFU", dependencies: ["Basics", "RTC", "Transport"], swiftSettings: strict),
    .target(
      name: "Meetings", dependencies: ["Basics", "Crypto", "Messaging", "CSQLite", "CJOSE", "CQRCode"],
      swiftSettings: common),

    // Floor 4: views, in windows of GTK where there is a display.
    .target(name: "ParleyViews", dependencies: ["Parley", "CDrawing", "CGTK"], swiftSettings: common),

    // Floor 5: the drop-in modules.
    .target(
      name: "BBMEnterprise", dependencies: ["Basics", "Crypto", "Messaging", "MessagingClient", "Parley"] + views,
      swiftSettings: common),
    .target(name: "OpenTok", dependencies: ["Parley"] + views, swiftSettings: common),
    .target(name: "SkypeForBusiness", dependencies: ["Parley"] + views, swiftSettings: common),

    // Floor 5: HTTP and WebSocket API, signalling sessions, wiring.
    .target(
      name: "MeetingServer",
      dependencies: [
        "Basics", "Crypto", "Options", "RTC", "SFU", "Transport", "Signaling", "Messaging", "Meetings",
      ],
      swiftSettings: common),

    // Floor 6: the command line.
    .executableTarget(
      name: "ParleyCLI", dependencies: ["Basics", "Meetings", "MeetingServer", "Messaging", "Options", "Parley"],
      swiftSettings: common),

    // Bots: an app each, and what they have in common.
    .target(name: "BotSupport", dependencies: ["Parley"], path: "Examples/BotSupport", swiftSettings: common),
    .executableTarget(
      name: "echo-bot", dependencies: ["BotSupport", "Parley"], path: "Examples/EchoBot", swiftSettings: common),
    .executableTarget(
      name: "chat-bot", dependencies: ["BotSupport", "Parley"], path: "Examples/ChatBot", swiftSettings: common),
    .executableTarget(
      name: "snapshot-bot", dependencies: ["BotSupport", "Parley"], path: "Examples/SnapshotBot", swiftSettings: common),

    // Apps as they were written for the SDKs that the drop-in modules stand in for.
    .executableTarget(
      name: "OpenTokHello", dependencies: ["OpenTok"], path: "Examples/OpenTokHello",
      swiftSettings: [.swiftLanguageMode(.v5)]),
    // Options, events, commands, names and signing in, for the three examples of BBM Enterprise.
    .target(
      name: "BBMSupport", dependencies: ["BBMEnterprise"], path: "Examples/BBMSupport",
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .executableTarget(
      name: "QuickStart", dependencies: ["BBMEnterprise", "BBMSupport"], path: "Examples/QuickStart",
      exclude: ["ConfigSettings.plist"],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .executableTarget(
      name: "SoftPhone", dependencies: ["BBMEnterprise", "BBMSupport"], path: "Examples/SoftPhone",
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .executableTarget(
      name: "SimpleChat", dependencies: ["BBMEnterprise", "BBMSupport"], path: "Examples/SimpleChat",
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .executableTarget(
      name: "WoodgroveBank", dependencies: ["SkypeForBusiness"], path: "Examples/WoodgroveBank",
      swiftSettings: [.swiftLanguageMode(.v5)]),

    // Joining and streams of the client SDK, `make bench`.
    .executableTarget(
      name: "client-bench", dependencies: ["Parley"], path: "Benchmarks/ClientBench", swiftSettings: common),

    // Lists, meetings, tokens and joins at a full store, `make bench`.
    .executableTarget(
      name: "service-bench", dependencies: ["Basics", "RTC", "Transport", "Meetings", "Messaging", "CSQLite"],
      path: "Benchmarks/ServiceBench", swiftSettings: common),

    // Load generator and figures, `make bench`.
    .executableTarget(
      name: "parley-bench", dependencies: ["Basics", "RTC", "Transport", "Signaling"], path: "Benchmarks/ParleyBench",
      swiftSettings: common),

    // The cost of encoding and decoding, next to the same libraries without ours.
    .executableTarget(
      name: "codec-bench",
      dependencies: ["Basics", "RTC", "Media", "COpus", "CVPX", "COpenH264", "CDav1d"],
      path: "Benchmarks/CodecBench", swiftSettings: common),

    // A whole meeting over many machines in virtual time, `make simulate`.
    .executableTarget(
      name: "meeting-simulator", dependencies: ["Basics", "RTC", "SFU"], path: "Benchmarks/MeetingSimulator",
      swiftSettings: common),

    // Routing and encryption without sockets, to count instructions and allocations of a packet.
    .executableTarget(
      name: "router-bench", dependencies: ["Basics", "RTC", "SFU", "RuntimeCounter"], path: "Benchmarks/RouterBench",
      swiftSettings: common),
    .target(name: "AllocationCounter", path: "Benchmarks/AllocationCounter"),
    .target(name: "RuntimeCounter", dependencies: ["AllocationCounter"], path: "Benchmarks/RuntimeCounter"),

    // Loss, delay and bottlenecks in virtual time, for tests and benchmarks.
    .target(
      name: "NetworkEmulator", dependencies: ["Basics"],
      swiftSettings: heavy),

    // Waiting for what has to come, of tests with real sockets and devices.
    .target(name: "TestSupport", swiftSettings: common),

    // Seeds of tests in virtual time: which a test used, and how to replay it.
    .target(name: "TestSeeds", swiftSettings: heavy),

    // Tenants without the cost of a key pair each.
    .target(name: "TestTenants", dependencies: ["Basics", "Meetings"], swiftSettings: common),

    // Published test vectors.
    .target(name: "TestVectors", swiftSettings: common),

    // The same links in real time, between a browser and a server on this machine.
    .executableTarget(
      name: "impairment-proxy", dependencies: ["Basics", "Transport", "NetworkEmulator"],
      path: "Tests/Support/ImpairmentProxy", swiftSettings: common),
    // A network between an app and a server in one process, which tests cut.
    .target(
      name: "NetworkGate", dependencies: ["Basics", "impairment-proxy"],
      swiftSettings: common),

    // An app without a display, which a test runs to see what it loads.
    .executableTarget(
      name: "headless-views", dependencies: ["ParleyViews"], path: "Tests/Support/HeadlessViews", swiftSettings: common),

    .testTarget(
      name: "BasicsTests", dependencies: ["Basics"], exclude: ["initials.json"], swiftSettings: common),
    .testTarget(
      name: "CryptoTests", dependencies: ["Crypto", "COpenSSL", "TestVectors"], exclude: ["Vectors"],
      swiftSettings: common),
    .testTarget(name: "OptionsTests", dependencies: ["Options"], swiftSettings: common),
    .testTarget(
      name: "EncryptionTests", dependencies: ["Basics", "Crypto", "Encryption", "TestSeeds", "TestVectors"],
      exclude: ["Vectors"], swiftSettings: common),
    .testTarget(
      name: "RTCTests", dependencies: ["Basics", "RTC", "COpenSSL", "NetworkEmulator", "TestSeeds"],
      swiftSettings: common),
    .testTarget(
      name: "TransportTests", dependencies: ["Basics", "RTC", "TestSupport", "Transport", "COpenSSL"],
      swiftSettings: common),
    .testTarget(
      name: "SFUTests", dependencies: ["Basics", "RTC", "SFU", "TestSupport", "Transport", "TestSeeds"],
      swiftSettings: heavy),
    .testTarget(
      name: "MediaTests",
      dependencies: ["Basics", "CDrawing", "RTC", "Media", "NetworkEmulator", "TestSeeds", "TestSupport"],
      swiftSettings: common),
    .testTarget(
      name: "ParleyTests",
      dependencies: [
        "Basics", "Crypto", "Encryption", "RTC", "Media", "Meetings", "Options", "Parley", "ParleyCLI", "MeetingServer",
        "TestSupport", "TestTenants", "Transport",
      ],
      swiftSettings: common),
    .testTarget(
      name: "MessagingClientTests",
      dependencies: [
        "Basics", "Crypto", "Encryption", "Meetings", "Messaging", "MessagingClient", "Signaling", "TestSeeds",
      ], swiftSettings: common),
    .testTarget(
      name: "ParleyViewsTests", dependencies: ["Parley", "ParleyViews", "TestSupport", "ViewsListing"],
      swiftSettings: common),
    // Apps' code as it is: language mode 5, no annotation. The tests of the views and of the drop-in modules run it.
    .target(
      name: "ViewsListing", dependencies: views,
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .target(
      name: "BBMListing", dependencies: ["BBMEnterprise"],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .target(
      name: "OpenTokListing", dependencies: ["OpenTok"],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    // Shapes of apps' code, each of which did not compile once: one file a shape.
    .target(
      name: "OpenTokShapes", dependencies: ["OpenTok"],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .target(
      name: "SkypeListing", dependencies: ["SkypeForBusiness"],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .target(
      name: "SkypeShapes", dependencies: ["SkypeForBusiness"],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    // The SDK's walkthrough runs on the main run loop, which looks to the compiler like any other: it warns, as on
    // Apple systems.
    .target(
      name: "WalkthroughListing", dependencies: ["SkypeForBusiness"],
      swiftSettings: [.swiftLanguageMode(.v5), .unsafeFlags(["-suppress-warnings"])]),
    .testTarget(
      name: "BBMEnterpriseTests",
      dependencies: [
        "BBMEnterprise", "BBMListing", "BBMSupport", "Basics", "Crypto", "MeetingServer", "Meetings", "Messaging",
        "MessagingClient", "Parley", "ParleyViews", "SoftPhone", "TestSeeds", "TestSupport", "TestTenants", "Transport",
      ], swiftSettings: common),
    .testTarget(
      name: "OpenTokTests",
      dependencies: [
        "Basics", "MeetingServer", "Meetings", "NetworkGate", "OpenTok", "OpenTokListing", "OpenTokShapes", "Parley",
        "ParleyViews", "TestSupport", "TestTenants", "impairment-proxy",
      ],
      swiftSettings: common),
    .testTarget(
      name: "SkypeForBusinessTests",
      dependencies: [
        "Basics", "Media", "MeetingServer", "Meetings", "NetworkGate", "Parley", "ParleyViews", "SkypeForBusiness",
        "SkypeListing", "SkypeShapes", "TestSupport", "TestTenants", "Transport", "WalkthroughListing",
        "impairment-proxy",
      ],
      swiftSettings: common),
    // Whole calls over bad networks in virtual time.
    .testTarget(
      name: "ConditionsTests",
      dependencies: [
        "Basics", "Crypto", "Encryption", "RTC", "Media", "Parley", "SFU", "Signaling", "NetworkEmulator", "TestSeeds",
      ],
      swiftSettings: heavy),
    // The quality that receivers see on bad networks, over the server's routing in virtual time.
    .testTarget(
      name: "QualityTests", dependencies: ["Basics", "RTC", "SFU", "NetworkEmulator", "TestSeeds"],
      swiftSettings: heavy),
    .testTarget(name: "SignalingTests", dependencies: ["Signaling"], swiftSettings: common),
    .testTarget(name: "MessagingTests", dependencies: ["Messaging", "Signaling"], swiftSettings: common),
    .testTarget(
      name: "MeetingsTests",
      dependencies: [
        "Basics", "Crypto", "Meetings", "Messaging", "TestSeeds", "TestSupport", "TestTenants", "Transport", "CJOSE",
      ],
      swiftSettings: common),
    .testTarget(
      name: "MeetingServerTests",
      dependencies: [
        "Basics", "Crypto", "Messaging", "Options", "ParleyCLI", "MeetingServer", "Meetings", "SFU", "Signaling",
        "TestSeeds", "TestSupport", "TestTenants", "Transport",
      ],
      swiftSettings: common),
  ]
)

#if os(Linux)
  package.targets.append(.target(name: "UIKit", dependencies: ["ParleyViews"], swiftSettings: common))
  for name in appleModules {
    package.targets.append(
      .target(
        name: name, dependencies: ["ParleyViews"], path: "Sources/Client/AppleModules/\(name)", swiftSettings: common))
  }
#endif

extension Package {
  /// Gives the targets in ``folders`` their paths.
  func place() {
    for (folder, names) in folders {
      for target in targets where target.path == nil && names.contains(target.name) {
        target.path = "\(folder)/\(target.name)"
      }
    }
  }

  /// Makes each target name all targets below it, not only those that its code imports.
  ///
  /// SwiftPM recompiles a target only when a module that it names has changed, but class layouts pass through modules:
  /// when a class of `Media` grew, `SkypeForBusiness`, which has it through `Parley`, wrote past its end until a clean
  /// build.
  func nameAllBelow() {
    let named = Dictionary(uniqueKeysWithValues: targets.map { ($0.name, $0) })
    func add(below target: Target, to found: inout [String]) {
      for case .byNameItem(let name, _) in target.dependencies where !found.contains(name) {
        found.append(name)
        if let next = named[name] { add(below: next, to: &found) }
      }
    }
    let found = targets.map { target in
      var found: [String] = []
      add(below: target, to: &found)
      return found
    }
    for (target, names) in zip(targets, found) where target.type != .system {
      target.dependencies = names.map { .byNameItem(name: $0, condition: nil) }
    }
  }
}

package.place()
package.nameAllBelow()
