#include "results/output_directory.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "app/program.h"
#include "base/error.h"
#include "in_folder.h"

namespace t3sim {
namespace {

namespace fs = std::filesystem;

class OutputDirectories : public InFolder {
 protected:
  static void put(const std::string& path, const std::string& text) {
    OutputDirectory directory(path);
    directory.write("results.json", text);
    directory.commit({});
  }
  static std::string refusal(const std::string& path) {
    try {
      put(path, "new");
    } catch (const InputError& e) {
      return e.what();
    }
    return "(accepted)";
  }
  static std::vector<std::string> names_in(const std::string& path) {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(path))
      names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
  }
  using Names = std::vector<std::string>;
};

TEST_F(OutputDirectories, a_result_appears_whole_with_its_parents) {
  put("a/b/result", "x");
  EXPECT_EQ(names_in("a/b"), Names{"result"});
  EXPECT_EQ(names_in("a/b/result"), (Names{"manifest.json", "results.json"}));
  EXPECT_EQ(content_of("a/b/result/results.json"), "x");
}

TEST_F(OutputDirectories, nothing_is_there_before_the_commit) {
  OutputDirectory directory("result");
  directory.write("results.json", "x");
  EXPECT_FALSE(fs::exists("result"));
}

TEST_F(OutputDirectories, what_is_not_committed_leaves_nothing_behind) {
  { OutputDirectory("a/b/result").write("results.json", "x"); }
  EXPECT_EQ(names_in("."), Names{});
}

TEST_F(OutputDirectories, an_earlier_result_is_replaced) {
  {
    OutputDirectory directory("result");
    directory.write("only-in-the-old.csv", "x");
    directory.commit({});
  }
  put("result", "new");
  EXPECT_EQ(names_in("."), Names{"result"});
  EXPECT_EQ(names_in("result"), (Names{"manifest.json", "results.json"}));
  EXPECT_EQ(content_of("result/results.json"), "new");
}

TEST_F(OutputDirectories, an_interrupted_write_leaves_the_earlier_result) {
  put("result", "old");
  { OutputDirectory("result").write("results.json", "new"); }
  EXPECT_EQ(content_of("result/results.json"), "old");
  EXPECT_EQ(names_in("."), Names{"result"});
}

TEST_F(OutputDirectories, a_killed_writer_leaves_the_earlier_result_and_the_next_one_tidies_up) {
  put("result", "old");
  const pid_t child = ::fork();
  if (child == 0) {
    OutputDirectory directory("result");
    directory.write("results.json", "half");
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(content_of("result/results.json"), "old");
  ASSERT_EQ(names_in(".").size(), 2u);
  fs::last_write_time(names_in(".").front(), fs::file_time_type::clock::now() - std::chrono::hours(1));
  put("result", "new");
  EXPECT_EQ(content_of("result/results.json"), "new");
  EXPECT_EQ(names_in("."), Names{"result"});
}

TEST_F(OutputDirectories, a_running_writer_is_not_tidied_away) {
  OutputDirectory slow("result");
  fs::last_write_time(names_in(".").front(), fs::file_time_type::clock::now() - std::chrono::hours(1));
  put("result", "fast");
  slow.write("results.json", "slow");
  slow.commit({});
  EXPECT_EQ(content_of("result/results.json"), "slow");
}

TEST_F(OutputDirectories, an_empty_directory_is_used) {
  fs::create_directory("result");
  put("result/", "x");
  EXPECT_EQ(content_of("result/results.json"), "x");
}

TEST_F(OutputDirectories, a_link_to_a_result_stays_a_link) {
  put("real", "old");
  fs::create_directory_symlink("real", "result");
  put("result", "new");
  EXPECT_TRUE(fs::is_symlink("result"));
  EXPECT_EQ(content_of("real/results.json"), "new");
}

TEST_F(OutputDirectories, a_directory_that_is_not_ours_is_refused_and_left_alone) {
  write_file("mine/thesis.tex", "text");
  EXPECT_EQ(refusal("mine"),
            "-o mine: holds \"thesis.tex\", which t3sim did not write: name a new or empty directory");
  write_file("other/manifest.json", "{\"program\": \"another\"}");
  EXPECT_EQ(refusal("other"),
            "-o other: holds \"manifest.json\", which t3sim did not write: name a new or empty directory");
  EXPECT_EQ(names_in("."), (Names{"mine", "other"}));
  EXPECT_EQ(content_of("mine/thesis.tex"), "text");
}

TEST_F(OutputDirectories, a_result_with_a_file_of_the_user_in_it_is_refused_and_left_alone) {
  put("result", "old");
  write_file("result/notes.txt", "mine");
  EXPECT_EQ(refusal("result"),
            "-o result: holds \"notes.txt\", which t3sim did not write: name a new or empty directory");
  EXPECT_EQ(content_of("result/results.json"), "old");
  EXPECT_EQ(content_of("result/notes.txt"), "mine");
}

TEST_F(OutputDirectories, a_file_of_the_user_that_appears_during_the_run_is_not_lost) {
  OutputDirectory directory("result");
  directory.write("results.json", "x");
  write_file("result/notes.txt", "mine");
  EXPECT_THROW(directory.commit({}), InputError);
  EXPECT_EQ(content_of("result/notes.txt"), "mine");
}

TEST_F(OutputDirectories, what_cannot_be_written_is_refused_before_the_work) {
  write_file("file", "text");
  EXPECT_EQ(refusal("file"), "-o file: is a file, not a directory");
  EXPECT_EQ(refusal("file/below"), "-o file/below: cannot be written: Not a directory");
  EXPECT_EQ(refusal(""), "-o: the name of the directory is empty");
  EXPECT_EQ(refusal("/"),
            "-o /: cannot be replaced as a whole (a root or a mount point): name a directory below it");
  EXPECT_NE(refusal("/proc/t3sim/result").find("-o /proc/t3sim/result: cannot be written: "),
            std::string::npos);
  EXPECT_EQ(content_of("file"), "text");
}

TEST_F(OutputDirectories, the_manifest_names_program_and_files_with_hashes) {
  OutputDirectory directory("result");
  directory.write("b.csv", "");
  directory.write("a.csv", "abc");
  directory.commit({{"version", "1"}});
  EXPECT_EQ(content_of("result/manifest.json"), R"({
  "version": "1",
  "program": "t3sim",
  "schema": 2,
  "files": [
    "b.csv",
    "a.csv"
  ],
  "sha256": {
    "a.csv": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    "b.csv": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
  }
}
)");
}

}  // namespace
}  // namespace t3sim
