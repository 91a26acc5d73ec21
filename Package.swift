// swift-tools-version: 6.2
import PackageDescription

// libxml2 and libcurl are loaded on demand (see Sources/C/CLibXML and Sources/C/CLibCurl), so that commands which never
// parse or fetch start at once. Their headers come from Debian's -dev packages.

// Set by .ci/run: a warning in one of our targets fails the build.
let warningsAreErrors = Context.environment["JIMMY_WARNINGS_ARE_ERRORS"] != nil

let strict: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        // Entities cross every module on their way, and the parser's callbacks write into one builder; debug builds,
        // which the tests run, check that nothing is written while it is read.
        .unsafeFlags(["-cross-module-optimization", "-enforce-exclusivity=unchecked"], .when(configuration: .release)),
    ] + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])

// Loading and relocating the C++ library costs a process more than all that `jimmy podcasts` does; so does relocating
// jimmy itself, which is why the program has a fixed address (its libraries, heap and stack have none), and no other
// file finds symbols in it.
let quickStart = [
    "-L", "\(Context.packageDirectory)/scripts/linker", "-Xclang-linker", "-static-libgcc", "-Xclang-linker", "-no-pie",
    "-Xlinker", "--no-export-dynamic",
]

let package = Package(
    name: "jimmy",
    products: [.executable(name: "jimmy", targets: ["jimmy"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
    ],
    targets: [
        // C libraries, each behind one small header.
        .target(name: "CLibCurl", path: "Sources/C/CLibCurl"),
        // zlib is in the binary; igzip, brotli and zstd are loaded on demand like libcurl.
        .target(name: "CDecoders", path: "Sources/C/CDecoders", linkerSettings: [.linkedLibrary(":libz.a")]),
        .target(
            name: "CLibXML", dependencies: ["CScan"], path: "Sources/C/CLibXML",
            cSettings: [.unsafeFlags(["-I/usr/include/libxml2"])]
        ),
        .target(name: "CTokenizer", path: "Sources/C/CTokenizer"),
        .target(name: "CFiles", path: "Sources/C/CFiles"),
        // Message digests of libcrypto, loaded on demand.
        .target(name: "CDigest", path: "Sources/C/CDigest"),
        .target(name: "CProcess", path: "Sources/C/CProcess"),
        .target(name: "CScan", path: "Sources/C/CScan"),

        // The middle: entities, rules, use cases, boundaries.
        .target(name: "Domain", swiftSettings: strict),
        // The feed's JSON form (keys of `jimmy parse`), shared by what is stored and what is printed.
        .target(name: "JSON", dependencies: ["Domain", "CScan"], swiftSettings: strict),

        // One reading of HTML, for feeds' descriptions and for web pages.
        .target(name: "HTML", swiftSettings: strict),

        // A thread for actors that block.
        .target(name: "Threads", swiftSettings: strict),

        // Adapters. None of them imports another.
        .target(name: "Fetching", dependencies: ["Domain", "Threads", "CDecoders", "CLibCurl"], swiftSettings: strict),
        .target(name: "Parsing", dependencies: ["Domain", "HTML", "JSON", "CLibXML"], swiftSettings: strict),
        .target(
            name: "Library", dependencies: ["Domain", "JSON", "Threads", "CFiles"], exclude: ["FORMAT.md"], swiftSettings: strict
        ),
        .target(
            name: "Index", dependencies: ["Domain", "HTML", "Threads", "CFiles", "CTokenizer"], swiftSettings: strict
        ),
        .target(name: "Directory", dependencies: ["Domain", "JSON", "CDigest"], swiftSettings: strict),
        .target(name: "Presentation", dependencies: ["Domain", "HTML", "JSON"], swiftSettings: strict),

        // The command and the composition root.
        .executableTarget(
            name: "jimmy",
            dependencies: [
                "CProcess", "Domain", "Fetching", "Parsing", "Library", "Index", "Directory", "Presentation", "Threads",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict,
            linkerSettings: [.unsafeFlags(quickStart, .when(configuration: .release))]
        ),

        // What the parser's benchmark times.
        .executableTarget(
            name: "parse-time", dependencies: ["Domain", "Parsing"], path: "scripts/benchmarks/parse-time", swiftSettings: strict,
            linkerSettings: [.unsafeFlags(quickStart, .when(configuration: .release))]
        ),

        // Tests, and the loopback server they and the demo share.
        .target(name: "LoopbackServer", path: "Tests/LoopbackServer", swiftSettings: strict),
        .executableTarget(
            name: "serve-fixtures", dependencies: ["LoopbackServer"], path: "Tests/ServeFixtures", swiftSettings: strict
        ),
        .executableTarget(
            name: "library-benchmark", dependencies: ["Domain", "JSON", "Library"], path: "Tests/LibraryBenchmark",
            swiftSettings: strict
        ),
        // The moving parts of `scripts/bench search`, linked as jimmy is.
        .executableTarget(
            name: "search-benchmark", dependencies: ["Domain", "Index"], path: "Tests/SearchBenchmark", swiftSettings: strict,
            linkerSettings: [.unsafeFlags(quickStart, .when(configuration: .release))]
        ),
        .testTarget(name: "DomainTests", dependencies: ["Domain"], swiftSettings: strict),
        .testTarget(name: "HTMLTests", dependencies: ["HTML"], swiftSettings: strict),
        .testTarget(name: "JSONTests", dependencies: ["Domain", "JSON"], swiftSettings: strict),
        .testTarget(name: "ParsingTests", dependencies: ["Domain", "JSON", "Parsing", "Presentation"], swiftSettings: strict),
        .testTarget(
            name: "FetchingTests", dependencies: ["CDecoders", "Domain", "Fetching", "LoopbackServer"], swiftSettings: strict),
        .testTarget(
            name: "DirectoryTests", dependencies: ["Domain", "Directory", "Fetching", "LoopbackServer"], swiftSettings: strict
        ),
        .testTarget(name: "LibraryTests", dependencies: ["Domain", "JSON", "Library"], swiftSettings: strict),
        .testTarget(name: "IndexTests", dependencies: ["Domain", "Index"], swiftSettings: strict),
        .testTarget(name: "PresentationTests", dependencies: ["Domain", "JSON", "Presentation"], swiftSettings: strict),
        .testTarget(
            name: "UseCaseTests",
            dependencies: ["Domain", "Fetching", "Parsing", "Library", "Index", "LoopbackServer"], swiftSettings: strict
        ),
        .testTarget(
            name: "JimmyTests", dependencies: ["jimmy", "Domain", "JSON", "LoopbackServer"], swiftSettings: strict
        ),
    ]
)
