// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/io/atomic_file.hpp"
#include "tests/support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <thread>

using starfmm::AtomicFile;
using starfmm::check_writable;
using starfmm::OutputError;
using starfmm::WriteError;

namespace {

/// Makes writes beyond `bytes` fail as a full disk does.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &old_);
        const rlimit limit{bytes, old_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }

    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

    ~FileSizeLimit() {
        ::setrlimit(RLIMIT_FSIZE, &old_);
        static_cast<void>(std::signal(SIGXFSZ, old_handler_));
    }

private:
    rlimit old_{};
    void (*old_handler_)(int);
};

} // namespace

TEST_CASE("atomic_file: a committed file has its bytes, and nothing else is left") {
    const TemporaryFolder folder;
    {
        AtomicFile file(folder.file("a"));
        file.write("one ");
        file.write("two");
        CHECK_FALSE(std::filesystem::exists(folder.file("a")));
        file.commit();
    }
    CHECK(folder.bytes("a") == "one two");
    CHECK(folder.n_files() == 1);
}

TEST_CASE("atomic_file: writes longer than the buffer keep their order") {
    const TemporaryFolder folder;
    const std::string large(3'000'001, 'x');
    AtomicFile file(folder.file("a"));
    file.write("begin");
    file.write(large);
    file.write("end");
    file.commit();
    CHECK(folder.bytes("a") == "begin" + large + "end");
}

TEST_CASE("atomic_file: without commit the old file stays and no other is left") {
    const TemporaryFolder folder;
    const std::string path = folder.file("a", "old");
    {
        AtomicFile file(path);
        file.write("new");
    }
    CHECK(folder.bytes("a") == "old");
    CHECK(folder.n_files() == 1);
}

TEST_CASE("atomic_file: a full disk is reported, and the old file stays") {
    const TemporaryFolder folder;
    const std::string path = folder.file("a", "old");
    const std::string large(5'000'000, 'x');
    {
        const FileSizeLimit limit(1'000'000);
        AtomicFile file(path);
        CHECK_THROWS_WITH_AS(
            file.write(large),
            (path + ": cannot be written: write: File too large").c_str(),
            WriteError
        );
    }
    CHECK(folder.bytes("a") == "old");
    CHECK(folder.n_files() == 1);
}

TEST_CASE("atomic_file: a full device is reported at the latest by commit") {
    AtomicFile file("/dev/full");
    file.write("bytes");
    CHECK_THROWS_WITH_AS(
        file.commit(), "/dev/full: cannot be written: write: No space left on device", WriteError
    );
}

TEST_CASE("atomic_file: a device is written to, not replaced") {
    AtomicFile file("/dev/null");
    file.write("bytes");
    file.commit();
    CHECK(std::filesystem::is_character_file("/dev/null"));
}

TEST_CASE("atomic_file: a pipe is written to, not replaced") {
    const TemporaryFolder folder;
    const std::string path = folder.file("pipe");
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    check_writable(path); // must not wait for a reader
    std::string received;
    std::thread reader([&] { received = folder.bytes("pipe"); });
    AtomicFile file(path);
    file.write("bytes");
    file.commit();
    reader.join();
    CHECK(received == "bytes");
    CHECK(std::filesystem::is_fifo(path));
}

TEST_CASE("atomic_file: a symbolic link is followed") {
    const TemporaryFolder folder;
    const std::string path = folder.file("a", "old");
    std::filesystem::create_symlink(path, folder.file("link"));
    AtomicFile file(folder.file("link"));
    file.write("new");
    file.commit();
    CHECK(folder.bytes("a") == "new");
    CHECK(std::filesystem::is_symlink(folder.file("link")));
}

TEST_CASE("atomic_file: permissions are those of any new file") {
    const TemporaryFolder folder;
    AtomicFile file(folder.file("a"));
    file.commit();
    const std::string other = folder.file("b", "");
    CHECK(
        std::filesystem::status(folder.file("a")).permissions() ==
        std::filesystem::status(other).permissions()
    );
}

TEST_CASE("atomic_file: a missing folder, a folder and an empty name are rejected") {
    const TemporaryFolder folder;
    const std::string missing = folder.file("no") + "/a";
    const std::string missing_message =
        missing + ": cannot be written: folder " + folder.file("no") + " does not exist";
    CHECK_THROWS_WITH_AS(AtomicFile{missing}, missing_message.c_str(), OutputError);
    CHECK_THROWS_WITH_AS(check_writable(missing), missing_message.c_str(), OutputError);
    const std::string itself = folder.file("");
    CHECK_THROWS_WITH_AS(
        check_writable(itself), (itself + ": cannot be written: is a folder").c_str(), OutputError
    );
    CHECK_THROWS_WITH_AS(check_writable(""), "output file: the name is empty", OutputError);
}

TEST_CASE("atomic_file: checking leaves no file, and an old one as it is") {
    const TemporaryFolder folder;
    check_writable(folder.file("a"));
    CHECK(folder.n_files() == 0);
    const std::string old = folder.file("b", "old");
    check_writable(old);
    CHECK(folder.n_files() == 1);
    CHECK(folder.bytes("b") == "old");
}

TEST_CASE("atomic_file: a file or folder without write permission is rejected") {
    if (::geteuid() == 0) {
        MESSAGE("skipped: root may write everywhere");
        return;
    }
    const TemporaryFolder folder;
    const std::string path = folder.file("a", "old");
    std::filesystem::permissions(path, std::filesystem::perms::owner_read);
    CHECK_THROWS_AS(check_writable(path), OutputError);
    std::filesystem::create_directory(folder.file("sub"));
    std::filesystem::permissions(folder.file("sub"), std::filesystem::perms::owner_exec);
    CHECK_THROWS_AS(check_writable(folder.file("sub") + "/a"), OutputError);
}

TEST_CASE("atomic_file: what is not committed can be removed at any time, and nothing else") {
    const TemporaryFolder folder;
    AtomicFile done(folder.file("done"));
    done.commit();
    {
        AtomicFile first(folder.file("first"));
        AtomicFile second(folder.file("second"));
        second.write("bytes");
        const AtomicFile dropped(folder.file("dropped"));
        CHECK(folder.n_files() == 4);
        starfmm::remove_temporary_files();
        CHECK(folder.n_files() == 1);
        CHECK_THROWS_AS(second.commit(), OutputError);
    }
    const AtomicFile other(folder.file("first"));
    starfmm::remove_temporary_files(); // later files are removed as well
    CHECK(folder.n_files() == 1);
    CHECK(std::filesystem::exists(folder.file("done")));
}

TEST_CASE("atomic_file: lacks of the system and wrong names are told apart") {
    for (const int error : {ENOSPC, EDQUOT, EIO, EFBIG, EMFILE}) {
        CHECK_THROWS_AS(starfmm::throw_write_error("a", "write", error), WriteError);
    }
    for (const int error : {ENOENT, EACCES, EROFS, EISDIR}) {
        CHECK_THROWS_AS(starfmm::throw_write_error("a", "open", error), OutputError);
    }
}
